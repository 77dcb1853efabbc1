/* Functions of numeric.h and random.h on a device at every vector width: the host's bits.
 *
 * The programs are built here with plain OpenCL, since a context of the library has one width. Inputs are random words,
 * special values and their neighbours. */
#include "cl/random.h"
#include "devices.h"

#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(numeric_bits, .timeout = WT_TIMEOUT);

#define FUNCTIONS 9u
#define DRAWS 3u
#define SEED 77u

static const char *const function_names[FUNCTIONS] = {
    "log", "exp", "tanh", "sqrt", "div", "sine", "cosine", "canonical", "sigmoid"};
static const char *const draw_names[DRAWS] = {"words", "normals", "uniforms"};

/* One device, its queue and the program at one width. */
typedef struct bench {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_mem a, b, out;
} bench;

#define CL_OK(Expression)                                                     \
    do {                                                                      \
        cl_int code_ = (Expression);                                          \
        cr_assert_eq(code_, CL_SUCCESS, "%s is %d", #Expression, (int)code_); \
    } while (0)

/* The platform and device that "p.d" names. */
static cl_device_id find_device(const char *index, cl_platform_id *platform)
{
    cl_platform_id platforms[32];
    cl_device_id devices[32];
    cl_uint platform_count = 0;
    cl_uint device_count = 0;
    char *end;
    unsigned long p = strtoul(index, &end, 10);
    unsigned long d = strtoul(end + 1, NULL, 10);

    CL_OK(clGetPlatformIDs(32, platforms, &platform_count));
    cr_assert(p < platform_count && p < 32);
    CL_OK(clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 32, devices, &device_count));
    cr_assert(d < device_count && d < 32);
    *platform = platforms[p];
    return devices[d];
}

static char *read_text(const char *variable, const char *name)
{
    char path[4096];
    const char *folder = getenv(variable);
    char *text = calloc(1, 1U << 16);
    FILE *file;

    cr_assert(folder != NULL && text != NULL, "%s is not set", variable);
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    cr_assert_lt(fread(text, 1, 1U << 16, file), 1U << 16);
    (void)fclose(file);
    return text;
}

static void build_program(bench *t, unsigned width)
{
    static const char *const names[] = {"lanes.h", "numeric.h", "random.h"};
    char define[64];
    char log[4096] = "";
    char *texts[5];
    cl_int code;

    (void)snprintf(define, sizeof define, "#define WEIR_WIDTH %u\n", width);
    texts[0] = define;
    for (unsigned i = 0; i < 3; i++) texts[i + 1] = read_text("WEIR_CL_DIR", names[i]);
    texts[4] = read_text("WEIR_TEST_DIR", "numeric_bits.cl");
    t->program = clCreateProgramWithSource(t->context, 5, (const char **)texts, NULL, &code);
    CL_OK(code);
    code = clBuildProgram(t->program, 1, &t->device, "-cl-std=CL1.2", NULL, NULL);
    if (code != CL_SUCCESS)
        (void)clGetProgramBuildInfo(t->program, t->device, CL_PROGRAM_BUILD_LOG, sizeof log, log,
                                    NULL);
    cr_assert_eq(code, CL_SUCCESS, "width %u does not build: %s", width, log);
    for (unsigned i = 1; i < 5; i++) free(texts[i]);
}

static uint32_t mix(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352dU;
    x = (x ^ (x >> 15)) * 0x846ca68bU;
    return x ^ (x >> 16);
}

/* Half of the words are any bits, a quarter is from 2^-8 up to 2^8, a quarter lies within 2 of a special value. */
static uint32_t input_word(uint32_t i)
{
    static const uint32_t special[] = {
        0x00000000U, 0x80000000U, 0x00800000U, 0x80800000U, 0x3f800000U, 0xbf800000U, 0x7f800000U,
        0xff800000U, 0x7fc00000U, 0xffc00000U, 0x42b17217U, 0xc2aeac4fU, 0x41110000U, 0x39800000U,
        0x3fffffffU, 0x40000000U, 0x3f2aaaabU, 0x20000000U, 0x60000000U, 0x7fffffffU};
    uint32_t r = mix(i * 2654435761U + 1U);

    if ((i & 1U) == 0) return r;
    if ((i & 2U) == 0) return (r & 0x807fffffU) | (((r >> 24) & 15U) + 119U) << 23;
    return special[r % (sizeof special / sizeof special[0])] + (r >> 16) % 5U - 2U;
}

static uint32_t host_function(unsigned function, uint32_t a, uint32_t b)
{
    float cosine;
    float x = wi_float(a);

    switch (function) {
    case 0:
        return wi_bits(wi_log(x));
    case 1:
        return wi_bits(wi_exp(x));
    case 2:
        return wi_bits(wi_tanh(x));
    case 3:
        return wi_bits(wi_sqrt(x));
    case 4:
        return wi_bits(wi_div(x, wi_float(b)));
    case 5:
        return wi_bits(wi_sincos_turn(a, &cosine));
    case 6:
        (void)wi_sincos_turn(a, &cosine);
        return wi_bits(cosine);
    case 7:
        return wi_bits(wi_canonical(x));
    default:
        return wi_bits(wi_sigmoid(x));
    }
}

static uint32_t host_draw(unsigned kind, uint32_t element)
{
    wi_quad_u w = wi_philox(wi_counter(element / 4, 5U, 3U, 0U), SEED, 1U);
    wi_quad_f z = kind == 1 ? wi_normal4(w) : wi_uniform4(w);
    uint32_t words[4] = {w.v0, w.v1, w.v2, w.v3};
    float floats[4] = {z.v0, z.v1, z.v2, z.v3};

    return kind == 0 ? words[element % 4] : wi_bits(floats[element % 4]);
}

/* Runs a kernel whose first argument is `selector` and reads `count` words. */
static void run(const bench *t, const char *name, uint32_t selector, size_t items, uint32_t *words,
                size_t count)
{
    cl_int code;
    cl_kernel kernel = clCreateKernel(t->program, name, &code);
    cl_uint seed = SEED;
    cl_uint last = 2;

    CL_OK(code);
    CL_OK(clSetKernelArg(kernel, 0, sizeof selector, &selector));
    if (strcmp(name, "weir_numeric_draws") == 0) {
        CL_OK(clSetKernelArg(kernel, 1, sizeof seed, &seed));
    } else {
        CL_OK(clSetKernelArg(kernel, 1, sizeof t->a, &t->a));
        CL_OK(clSetKernelArg(kernel, 2, sizeof t->b, &t->b));
        last = 3;
    }
    CL_OK(clSetKernelArg(kernel, last, sizeof t->out, &t->out));
    CL_OK(clEnqueueNDRangeKernel(t->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    CL_OK(clEnqueueReadBuffer(t->queue, t->out, CL_TRUE, 0, count * sizeof words[0], words, 0, NULL,
                              NULL));
    CL_OK(clReleaseKernel(kernel));
}

/* Shows the first difference and how many there are. */
static void compare(const char *name, unsigned width, const uint32_t *got, const uint32_t *expected,
                    const uint32_t *a, size_t count)
{
    size_t differing = 0;
    size_t first = 0;

    for (size_t i = count; i-- > 0;)
        if (got[i] != expected[i]) {
            differing++;
            first = i;
        }
    cr_expect_eq(differing, 0U,
                 "%s at width %u: %zu of %zu differ, first %zu (input %08x) is %08x, host %08x",
                 name, width, differing, count, first, a == NULL ? 0U : (unsigned)a[first],
                 (unsigned)got[first], (unsigned)expected[first]);
}

static void check_width(bench *t, unsigned width, const uint32_t *a, uint32_t *const *expected,
                        uint32_t *const *expected_draws, uint32_t *got, size_t count)
{
    build_program(t, width);
    for (unsigned f = 0; f < FUNCTIONS; f++) {
        run(t, "weir_numeric_bits", f, count / width, got, count);
        compare(function_names[f], width, got, expected[f], a, count);
    }
    for (unsigned k = 0; k < DRAWS; k++) {
        run(t, "weir_numeric_draws", k, count / 4 / width, got, count);
        compare(draw_names[k], width, got, expected_draws[k], NULL, count);
    }
    CL_OK(clReleaseProgram(t->program));
}

static uint32_t *words_alloc(size_t count)
{
    uint32_t *words = malloc(count * sizeof *words);

    cr_assert_not_null(words);
    return words;
}

static cl_mem buffer_create(const bench *t, size_t count, uint32_t *data)
{
    cl_int code;
    cl_mem_flags flags = data == NULL ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    cl_mem buffer = clCreateBuffer(t->context, flags, count * sizeof *data, data, &code);

    CL_OK(code);
    return buffer;
}

WEIR_DEVICE_TEST_BARE_TAGGED(numeric_bits, are_the_hosts_at_every_width)
{
    static const unsigned widths[] = {1, 2, 4, 8, 16};
    size_t count = ((size_t)wt_scale(1U << 20) + 63) / 64 * 64;
    uint32_t *a = words_alloc(count);
    uint32_t *b = words_alloc(count);
    uint32_t *got = words_alloc(count);
    uint32_t *expected[FUNCTIONS];
    uint32_t *expected_draws[DRAWS];
    bench t = {0};
    cl_platform_id platform;
    cl_int code;

    for (size_t i = 0; i < count; i++) {
        a[i] = input_word((uint32_t)i);
        b[i] = input_word((uint32_t)(i + (i >> 2) + 1000003U));
    }
    for (unsigned f = 0; f < FUNCTIONS; f++) {
        expected[f] = words_alloc(count);
        for (size_t i = 0; i < count; i++) expected[f][i] = host_function(f, a[i], b[i]);
    }
    for (unsigned k = 0; k < DRAWS; k++) {
        expected_draws[k] = words_alloc(count);
        for (size_t i = 0; i < count; i++) expected_draws[k][i] = host_draw(k, (uint32_t)i);
    }

    t.device = find_device(dev->index, &platform);
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    t.context = clCreateContext(properties, 1, &t.device, NULL, NULL, &code);
    CL_OK(code);
    t.queue = clCreateCommandQueue(t.context, t.device, 0, &code);
    CL_OK(code);
    t.a = buffer_create(&t, count, a);
    t.b = buffer_create(&t, count, b);
    t.out = buffer_create(&t, count, NULL);
    /* llvmpipe takes minutes to compile vectors; the library uses width 1 there. */
    size_t width_count = weir_device_get_class(device) == WEIR_DEVICE_SOFTWARE ? 1 : 5;
    for (size_t w = 0; w < width_count; w++)
        check_width(&t, widths[w], a, expected, expected_draws, got, count);

    CL_OK(clReleaseMemObject(t.a));
    CL_OK(clReleaseMemObject(t.b));
    CL_OK(clReleaseMemObject(t.out));
    CL_OK(clReleaseCommandQueue(t.queue));
    CL_OK(clReleaseContext(t.context));
    for (unsigned f = 0; f < FUNCTIONS; f++) free(expected[f]);
    for (unsigned k = 0; k < DRAWS; k++) free(expected_draws[k]);
    free(got);
    free(b);
    free(a);
}
