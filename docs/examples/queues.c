#include <stdio.h>
#include <weir/weir.h>

int main(void)
{
    const weir_shape shape = {1, {1 << 20}};
    static float result[1 << 20];
    weir_system *system = NULL;
    weir_device *device = NULL;
    weir_context *context = NULL, *side = NULL;
    weir_queue *queue = NULL;
    weir_tensor *x = NULL, *square = NULL, *sum = NULL;

    if (weir_system_create(&system) || weir_system_find(system, NULL, &device) ||
        weir_context_create(device, NULL, &context) || weir_queue_create(context, &queue) ||
        weir_context_on_queue(context, queue, &side) ||
        weir_full(context, WEIR_DTYPE_F32, &shape, 3, &x) ||
        weir_mul(side, x, x, &square) ||      /* on the second queue, after x is there */
        weir_add(context, x, square, &sum) || /* on the first, after the square */
        weir_tensor_to_host(sum, result, sizeof result)) {
        return printf("%s\n", weir_last_error()->message), 1;
    }
    printf("3 + 3 * 3 is %g\n", (double)result[0]);
    weir_tensor_release(x);
    weir_tensor_release(square);
    weir_tensor_release(sum);
    weir_context_release(side);
    weir_queue_release(queue);
    weir_context_release(context);
    weir_system_destroy(system);
    return 0;
}
