/* Updates of variables: the add and sub rows, launched with the variable's storage as the result.
 *
 * src/tensor decides under the variable's lock whether the update is in place or into a new block; both are the same
 * launch. The lock is held until the launch is enqueued, so updates of one variable happen one after the other.
 */
#include <weir/update.h>

#include "base/status.h"
#include "ops/launch.h"
#include "tensor/variable.h"

static weir_status apply(weir_variable *variable, weir_tensor *delta, const wi_op *op,
                         const char *where)
{
    weir_status status = WEIR_OK;
    weir_context *context = NULL;
    wi_update update = {0};
    wi_operand operands[2] = {{.is_strided = 0}};
    wi_operand target;

    if (variable == NULL || delta == NULL) {
        return wi_fail(WEIR_E_ARG, where, "variable and delta are required");
    }
    if (weir_variable_get_dtype(variable) != WEIR_DTYPE_F32 &&
        weir_tensor_get_dtype(delta) == weir_variable_get_dtype(variable)) {
        return wi_fail(WEIR_E_DTYPE, where, "variable %s is %s; it takes f32",
                       weir_variable_get_name(variable),
                       weir_dtype_name(weir_variable_get_dtype(variable)));
    }
    status = wi_update_begin(variable, delta, where, &update);
    if (status != WEIR_OK) return status;
    context = wi_variable_get_context(variable);
    status = wi_tensor_operand(context, update.target, WI_TAKES_DENSE, &target);
    if (status != WEIR_OK) goto done;
    operands[0] = target;
    if (update.old != update.target)
        status = wi_tensor_operand(context, update.old, WI_TAKES_DRAW, &operands[0]);
    if (status != WEIR_OK) goto done;
    status = wi_tensor_operand(context, delta, WI_TAKES_DRAW | WI_TAKES_STRIDES, &operands[1]);
    if (status != WEIR_OK) goto done;
    status = wi_elementwise_launch(context, op, operands, NULL, &target,
                                   weir_tensor_get_shape(delta), weir_tensor_get_count(delta));
done:
    wi_operand_let_go(&operands[1]);
    return wi_update_end(&update, status);
}

weir_status weir_variable_assign_add(weir_variable *variable, weir_tensor *delta)
{
    return apply(variable, delta, &wi_op_rows[WI_OP_ADD], "weir_variable_assign_add");
}

weir_status weir_variable_assign_sub(weir_variable *variable, weir_tensor *delta)
{
    return apply(variable, delta, &wi_op_rows[WI_OP_SUB], "weir_variable_assign_sub");
}
