#include <stdio.h>
#include <weir/weir.h>

int main(void)
{
    const weir_shape shape = {2, {1, 1024}};
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_system *system = NULL;
    weir_device *device = NULL;
    weir_context *context = NULL;
    weir_tensor *zeros = NULL, *noise = NULL;
    weir_variable *state = NULL;
    weir_pool_stats stats;

    if (weir_system_create(&system) || weir_system_find(system, NULL, &device) ||
        weir_context_create(device, NULL, &context) ||
        weir_zeros(context, WEIR_DTYPE_F32, &shape, &zeros) ||
        weir_variable_create(context, "state", WEIR_DTYPE_F32, &shape, zeros, NULL, &state)) {
        return printf("%s\n", weir_last_error()->message), 1;
    }
    weir_tensor_release(zeros);
    for (int step = 0; step < 10000; step++) { /* state += N(0, 1), in place */
        if (weir_random_normal(context, &generator, &shape, &noise) ||
            weir_variable_assign_add(state, noise)) {
            return printf("%s\n", weir_last_error()->message), 1;
        }
        weir_tensor_release(noise);
    }
    weir_pool_get_stats(weir_context_get_pool(context), &stats);
    printf("%s held at most %llu bytes\n", weir_device_get_name(device),
           (unsigned long long)stats.in_use_bytes.peak);
    weir_variable_release(state);
    weir_context_release(context);
    weir_system_destroy(system);
    return 0;
}
