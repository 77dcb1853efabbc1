/* What src/cl asks of a driver: counted on the null ICD, whose commands end only when somebody waits for them. */
#include "cl/cl_context.h"
#include "cl/queue.h"
#include "cl_rig.h"
#include "devices.h"
#include "null_device.h"

#include <stdio.h>
#include <stdlib.h>

TestSuite(cl_null, .timeout = 120);

static weir_system *host;

static const wt_null_control *open_null(struct wt_rig *rig, int is_lazy)
{
    const wt_null_control *null = NULL;

    cr_assert_eq(setenv("WEIR_CACHE", "0", 1), 0);
    null = wt_null_use();
    cr_assert(null->set("LAZY", is_lazy ? "1" : "0"));
    wt_ok(weir_system_create(&host));
    wt_ok(wt_rig_open(rig, weir_system_device(host, 0)));
    null->reset_calls();
    return null;
}

static void close_null(struct wt_rig *rig, const wt_null_control *null)
{
    weir_live live;

    wt_rig_close(rig);
    weir_system_destroy(host);
    weir_live_get(&live);
    cr_assert_eq(live.total, 0);
    cr_assert_eq(null->get_live(NULL), 0);
}

static void launch(struct wt_rig *rig, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        wt_ok(wt_rig_launch(rig->queue, rig->kernel, rig->buffer, 1, 1));
}

Test(cl_null, bounds_the_commands_ahead_with_few_events_and_flushes)
{
    const uint64_t launches = 100000;
    struct wt_rig rig;
    const wt_null_control *null = open_null(&rig, 1);

    launch(&rig, launches);
    cr_assert_leq(null->get_pending_peak(),
                  WI_QUEUE_AHEAD + 1); /* a marker of a wait may come on top */
    cr_assert_geq(null->get_pending_peak(), WI_QUEUE_AHEAD - WI_QUEUE_MARK);
    cr_assert_eq(null->get_calls("clEnqueueNDRangeKernel"), launches);
    cr_assert_leq(null->get_live("cl_event"), WI_QUEUE_AHEAD / WI_QUEUE_MARK + 2);
    cr_assert_leq(null->get_calls("clReleaseEvent"), 3 * (launches / WI_QUEUE_MARK));
    cr_assert_leq(null->get_calls("clWaitForEvents"), launches / WI_QUEUE_MARK + 1);
    cr_assert_leq(null->get_calls("clGetEventInfo"), 16 * (launches / WI_QUEUE_MARK));
    cr_assert_leq(null->get_calls("clFlush"), launches / 32 + launches / WI_QUEUE_MARK + 8);
    wt_ok(wi_queue_finish(rig.queue));
    cr_assert_eq(null->get_live("cl_event"), 0);
    close_null(&rig, null);
}

Test(cl_null, flushes_a_lone_command_at_once_and_a_run_rarely)
{
    struct wt_rig rig;
    const wt_null_control *null = open_null(&rig, 1);

    launch(&rig, 1);
    cr_assert_eq(null->get_calls("clFlush"), 1);
    launch(&rig, 100);
    cr_assert_leq(null->get_calls("clFlush"), 8);
    cr_assert_geq(null->get_calls("clFlush"), 5);
    wt_ok(wi_queue_finish(rig.queue));
    null->reset_calls();
    launch(&rig, 1);
    cr_assert_eq(null->get_calls("clFlush"), 1, "after a wait work starts early again");
    close_null(&rig, null);
}

Test(cl_null, waits_no_longer_than_asked)
{
    struct wt_rig rig;
    const wt_null_control *null = open_null(&rig, 1);
    const uint64_t start = wi_queue_get_sequence(rig.queue);

    launch(&rig, 400);
    cr_assert_eq(wi_queue_get_completed(rig.queue), start);
    wt_ok(wi_queue_wait(rig.queue, start + 100));
    cr_assert_geq(wi_queue_get_completed(rig.queue), start + 100);
    cr_assert_leq(wi_queue_get_completed(rig.queue), start + 100 + WI_QUEUE_MARK);
    null->reset_calls();
    wt_ok(wi_queue_wait(rig.queue, start + 50));
    cr_assert_eq(null->get_calls(NULL), 0, "known without asking");
    wt_ok(wi_queue_finish(rig.queue));
    cr_assert_eq(wi_queue_get_completed(rig.queue), start + 400);
    null->reset_calls();
    wt_ok(wi_queue_finish(rig.queue));
    cr_assert_eq(null->get_calls(NULL), 0, "nothing to wait for");
    close_null(&rig, null);
}

Test(cl_null, adds_a_marker_only_for_who_asks_again_and_again)
{
    struct wt_rig rig;
    const wt_null_control *null = open_null(&rig, 1);

    for (int i = 0; i < 50; i++) {
        launch(&rig, 1);
        (void)wi_queue_get_completed(rig.queue);
    }
    cr_assert_eq(null->get_calls("clEnqueueMarkerWithWaitList"), 0);
    for (int i = 0; i < 50; i++) (void)wi_queue_get_completed(rig.queue);
    cr_assert_eq(null->get_calls("clEnqueueMarkerWithWaitList"), 1);
    cr_assert_eq(null->get_calls("clWaitForEvents"), 0);
    close_null(&rig, null);
}

Test(cl_null, sets_only_arguments_that_changed)
{
    struct wt_rig rig;
    const wt_null_control *null = open_null(&rig, 0);
    cl_mem other = NULL;

    launch(&rig, 1);
    cr_assert_eq(null->get_calls("clSetKernelArg"), 4);
    launch(&rig, 100);
    cr_assert_eq(null->get_calls("clSetKernelArg"), 4);
    wt_ok(wt_rig_launch(rig.queue, rig.kernel, rig.buffer, 1, 2));
    cr_assert_eq(null->get_calls("clSetKernelArg"), 5);

    /* a buffer is set anew after any buffer was given back, for its handle may be another object by then */
    wt_ok(wi_cl_buffer_create(rig.target.context, 4096, &other));
    wt_ok(wt_rig_launch(rig.queue, rig.kernel, rig.buffer, 1, 2));
    cr_assert_eq(null->get_calls("clSetKernelArg"), 5);
    wi_cl_buffer_release(other);
    wt_ok(wt_rig_launch(rig.queue, rig.kernel, rig.buffer, 1, 2));
    cr_assert_eq(null->get_calls("clSetKernelArg"), 6);
    wt_ok(wt_rig_launch(rig.queue, rig.kernel, rig.buffer, 1, 2));
    cr_assert_eq(null->get_calls("clSetKernelArg"), 6);
    close_null(&rig, null);
}

Test(cl_null, sets_an_argument_again_after_it_was_refused)
{
    struct wt_rig rig;
    const wt_null_control *null = open_null(&rig, 0);

    launch(&rig, 1);
    null->reset_calls();
    cr_assert(null->set("FAIL", "clSetKernelArg:1:-6"));
    wt_fails(wt_rig_launch(rig.queue, rig.kernel, rig.buffer, 5, 1), WEIR_E_HOST_MEMORY);
    cr_assert_eq(null->get_calls("clEnqueueNDRangeKernel"), 0);
    cr_assert(null->set("FAIL", ""));
    wt_ok(wt_rig_launch(rig.queue, rig.kernel, rig.buffer, 1, 1));
    cr_assert_eq(null->get_calls("clSetKernelArg"), 2, "the driver may hold either value");
    close_null(&rig, null);
}

Test(cl_null, keeps_a_late_failure_until_it_is_reset)
{
    struct wt_rig rig;
    const wt_null_control *null = open_null(&rig, 1);

    launch(&rig, 3);
    cr_assert(null->set("FAIL", "clWaitForEvents:1:-5"));
    wt_fails(wi_queue_finish(rig.queue), WEIR_E_DRIVER);
    cr_assert_eq(weir_last_error()->cl_status, CL_OUT_OF_RESOURCES);
    null->reset_calls();
    cr_assert(null->set("FAIL", ""));
    wt_fails(wt_rig_launch(rig.queue, rig.kernel, rig.buffer, 1, 1), WEIR_E_DRIVER);
    wt_fails(wt_rig_fill(rig.queue, rig.buffer, 1), WEIR_E_DRIVER);
    wt_fails(wi_queue_touch(rig.queue, rig.buffer, 4), WEIR_E_DRIVER);
    wt_fails(wi_queue_finish(rig.queue), WEIR_E_DRIVER);
    cr_assert_eq(null->get_calls(NULL), 0, "a failed queue takes no commands");
    wi_queue_reset_error(rig.queue);
    launch(&rig, 1);
    wt_ok(wi_queue_finish(rig.queue));
    close_null(&rig, null);
}

Test(cl_null, takes_refused_memory_for_an_answer)
{
    struct wt_rig rig;
    const wt_null_control *null = open_null(&rig, 1);
    static const struct {
        const char *rule;
        weir_status expected;
    } cases[] = {
        {"clCreateBuffer:1:-4", WEIR_E_OUT_OF_MEMORY},
        {"clCreateBuffer:1:-5", WEIR_E_OUT_OF_MEMORY},
        {"clCreateBuffer:1:-61", WEIR_E_OUT_OF_MEMORY},
        {"clCreateBuffer:1:-6", WEIR_E_HOST_MEMORY},
        {"clCreateBuffer:1:-34", WEIR_E_DRIVER},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cl_mem buffer = rig.buffer;
        null->reset_calls();
        cr_assert(null->set("FAIL", cases[i].rule));
        wt_fails(wi_cl_buffer_create(rig.target.context, 64, &buffer), cases[i].expected);
        cr_assert_null(buffer);
    }
    for (int code = -6; code <= -4; code++) {
        char rule[64];
        (void)snprintf(rule, sizeof rule, "clEnqueueWriteBuffer:1:%d", code);
        null->reset_calls();
        cr_assert(null->set("FAIL", rule));
        wt_fails(wi_queue_touch(rig.queue, rig.buffer, 4096),
                 code == -6 ? WEIR_E_HOST_MEMORY : WEIR_E_OUT_OF_MEMORY);
    }
    null->reset_calls();
    cr_assert(null->set("FAIL", "clWaitForEvents:1:-4")); /* the refusal comes late */
    wt_fails(wi_queue_touch(rig.queue, rig.buffer, 4096), WEIR_E_OUT_OF_MEMORY);
    wt_ok(wi_queue_touch(rig.queue, rig.buffer, 4096));

    null->reset_calls();
    cr_assert(null->set("FAIL", "clEnqueueNDRangeKernel:1:-4;clEnqueueNDRangeKernel:2:-5"));
    wt_fails(wt_rig_launch(rig.queue, rig.kernel, rig.buffer, 1, 1), WEIR_E_OUT_OF_MEMORY);
    wt_fails(wt_rig_launch(rig.queue, rig.kernel, rig.buffer, 1, 1), WEIR_E_DRIVER);
    launch(&rig, 1);
    close_null(&rig, null);
}

Test(cl_null, touches_a_buffer_of_any_size)
{
    struct wt_rig rig;
    const wt_null_control *null = open_null(&rig, 0);

    for (uint64_t bytes = 1; bytes < 10; bytes++) {
        cl_mem buffer = NULL;
        wt_ok(wi_cl_buffer_create(rig.target.context, bytes, &buffer));
        wt_ok(wi_queue_touch(rig.queue, buffer, bytes));
        wi_cl_buffer_release(buffer);
    }
    close_null(&rig, null);
}
