#include <stdio.h>
#include <weir/weir.h>

int main(void)
{
    const weir_shape shape = {2, {256, 1024}}; /* 1 MiB of f32 */
    weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_system *system = NULL;
    weir_device *device = NULL;
    weir_context *context = NULL;
    weir_tensor *states[100] = {NULL}, *noise = NULL;
    weir_variable *weights = NULL;
    weir_text *text = NULL;
    int last = 0;

    memory.strategy = "growth";
    memory.limit_bytes = 16 << 20;
    if (weir_text_create(&text) || weir_system_create(&system) ||
        weir_system_find(system, NULL, &device) || weir_device_configure(device, &memory) ||
        weir_context_create(device, NULL, &context) ||
        weir_zeros(context, WEIR_DTYPE_F32, &shape, &states[0]) ||
        weir_variable_create(context, "weights", WEIR_DTYPE_F32, &shape, states[0], NULL,
                             &weights) ||
        weir_random_normal(context, &generator, &shape, &noise) ||
        weir_variable_assign_add(weights, noise)) {
        return printf("%s\n", weir_last_error()->message), 1;
    }
    while (last < 99 && !weir_add(context, states[last], noise, &states[last + 1])) {
        last++; /* nobody lets the old state go */
    }
    printf("%s\n%s\n\n", weir_last_error()->message, weir_last_error()->hint);
    weir_pool_report(weir_context_get_pool(context), text);
    weir_tensor_release(noise);
    for (int i = 0; i <= last; i++) weir_tensor_release(states[i]);
    if (weir_pool_trim(weir_context_get_pool(context), 0)) return 1;
    weir_text_append(text, "\n");
    weir_pool_report(weir_context_get_pool(context), text);
    printf("%s", weir_text_get(text));
    weir_variable_release(weights);
    weir_context_release(context);
    weir_system_destroy(system);
    weir_text_destroy(text);
    return 0;
}
