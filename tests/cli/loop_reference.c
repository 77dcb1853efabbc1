/* Computes on the host, without the library, what `weir loop` must end with.
 *
 *   loop_reference COUNT STEPS SEED [tanh]    prints the XXH64 (seed 0) of COUNT sums as 16 hexadecimal digits
 * With tanh, each step replaces a sum by its tanh before it adds.
 * The draws come from the numeric text that kernels and host share (its accuracy and its known answers are tested on
 * their own); the sums are plain f32 additions. */
#include "cl/random.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Adds draw number `draw` to the sums. */
static void add_draw(float *sums, uint64_t count, uint64_t draw, uint64_t seed)
{
    for (uint64_t quad = 0; quad * 4 < count; quad++) {
        wi_quad_u words = wi_philox(wi_counter((uint32_t)quad, (uint32_t)(quad >> 32),
                                               (uint32_t)draw, (uint32_t)(draw >> 32)),
                                    (uint32_t)seed, (uint32_t)(seed >> 32));
        wi_quad_f normals = wi_normal4(words);
        float values[4] = {normals.v0, normals.v1, normals.v2, normals.v3};

        for (uint64_t i = 0; i < 4 && quad * 4 + i < count; i++) sums[quad * 4 + i] += values[i];
    }
}

static void bend(float *sums, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) sums[i] = wi_tanh(sums[i]);
}

int main(int argc, char **argv)
{
    int is_bent = argc == 5 && strcmp(argv[4], "tanh") == 0;
    int is_valid = argc == 4 || is_bent;
    uint64_t count = is_valid ? strtoull(argv[1], NULL, 10) : 0;
    uint64_t steps = is_valid ? strtoull(argv[2], NULL, 10) : 0;
    uint64_t seed = is_valid ? strtoull(argv[3], NULL, 10) : 0;
    float *sums = is_valid ? calloc(count + 1, sizeof *sums) : NULL;

    if (sums == NULL) {
        (void)fprintf(stderr, "usage: loop_reference COUNT STEPS SEED [tanh]\n");
        return 2;
    }
    for (uint64_t draw = 0; draw < steps; draw++) {
        if (is_bent) bend(sums, count);
        add_draw(sums, count, draw, seed);
    }
    (void)printf("%016llx\n", (unsigned long long)XXH64(sums, count * sizeof *sums, 0));
    free(sums);
    return 0;
}
