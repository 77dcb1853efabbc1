/* weir: device memory, tensors and accumulation on any OpenCL device.
 *
 * A tour of one page. Every call returns a weir_status (WEIR_OK is 0); weir_last_error() tells what went wrong.
 *
 *   weir_system *system;            the devices of this machine         system.h  device.h  property.h
 *   weir_device *device;            one of them                         weir_system_find()
 *   weir_record *record;            what is known of it, live or from a text       record.h  records.h  select.h
 *   weir_context *context;          the device opened                   context.h
 *   weir_pool *pool;                its memory, by owner                pool.h  oom.h  scope.h  mark.h  replay.h
 *   weir_queue *queue;              more than one in-order queue        queue.h
 *   weir_tensor *a, *b, *sum;       values that never change            tensor.h  dtype.h  shape.h
 *   weir_add(context, a, b, &sum)   operations, one function a row      ops.h  generator.h
 *   weir_variable *state;           a named value that changes          variable.h  update.h
 *   weir_tape *tape;                operations recorded for gradients   tape.h
 *   weir_function *function;        operations captured, run as one     function.h  scalar.h
 *
 * Objects are made by _create (one owner, _destroy) or counted (_retain, _release). Outputs come last, are owned by
 * the caller, and are NULL after a failure. Work is enqueued in order on the context's queue; reading a value to the
 * host and weir_context_synchronize() wait for it.
 *
 * interop_cl.h, which this header leaves out, joins weir with OpenCL of the program's own.
 *
 * docs/examples/accumulate.c is a whole program.
 */
#ifndef WEIR_WEIR_H
#define WEIR_WEIR_H

#include <weir/context.h>
#include <weir/device.h>
#include <weir/dtype.h>
#include <weir/function.h>
#include <weir/generator.h>
#include <weir/host_memory.h>
#include <weir/live.h>
#include <weir/log.h>
#include <weir/mark.h>
#include <weir/oom.h>
#include <weir/ops.h>
#include <weir/pool.h>
#include <weir/property.h>
#include <weir/queue.h>
#include <weir/record.h>
#include <weir/replay.h>
#include <weir/scalar.h>
#include <weir/scope.h>
#include <weir/select.h>
#include <weir/shape.h>
#include <weir/status.h>
#include <weir/system.h>
#include <weir/tape.h>
#include <weir/tensor.h>
#include <weir/text.h>
#include <weir/update.h>
#include <weir/variable.h>
#include <weir/version.h>

#endif
