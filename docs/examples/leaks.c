#include <stdio.h>
#include <weir/weir.h>

#define LAYERS 3
#define CACHE 1000

typedef struct layer {
    const char *name;
    weir_tensor *cache[CACHE]; /* of earlier passes */
    int cached;
} layer;

static weir_tensor *forward(weir_context *context, layer *layers, weir_tensor *input)
{
    weir_pool *pool = weir_context_get_pool(context);
    weir_tensor *value = weir_tensor_retain(input);

    for (int i = 0; i < LAYERS; i++) {
        weir_tensor *curved = NULL, *sum = NULL;

        if (weir_scope_push(pool, layers[i].name) || weir_tanh(context, value, &curved) ||
            weir_add(context, value, curved, &sum) || weir_scope_pop(pool)) {
            printf("%s\n", weir_last_error()->message);
        }
        if (i == 1) /* the mistake: kept, and never looked at again */
            layers[i].cache[layers[i].cached++] = weir_tensor_retain(curved);
        weir_tensor_release(curved);
        weir_tensor_release(value);
        value = sum;
    }
    return value;
}

int main(void)
{
    const weir_shape shape = {2, {64, 1024}}; /* 256 KiB of f32 */
    layer layers[LAYERS] = {{.name = "encoder"}, {.name = "attention"}, {.name = "decoder"}};
    weir_system *system = NULL;
    weir_device *device = NULL;
    weir_context *context = NULL;
    weir_tensor *input = NULL;
    weir_mark *mark = NULL;
    weir_text *text = NULL;

    if (weir_text_create(&text) || weir_system_create(&system) ||
        weir_system_find(system, NULL, &device) || weir_context_create(device, NULL, &context) ||
        weir_zeros(context, WEIR_DTYPE_F32, &shape, &input)) {
        return printf("%s\n", weir_last_error()->message), 1;
    }
    weir_tensor_release(forward(context, layers, input)); /* what is taken once is taken here */
    if (weir_pool_mark(weir_context_get_pool(context), &mark)) return 1;
    for (int pass = 0; pass < 100; pass++) { weir_tensor_release(forward(context, layers, input)); }
    if (weir_pool_diff_report(weir_context_get_pool(context), mark, NULL, text)) return 1;
    printf("%s", weir_text_get(text));
    weir_mark_destroy(mark);
    for (int i = 0; i < layers[1].cached; i++) weir_tensor_release(layers[1].cache[i]);
    weir_tensor_release(input);
    weir_context_release(context);
    weir_system_destroy(system);
    weir_text_destroy(text);
    return 0;
}
