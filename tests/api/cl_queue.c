/* Queues of src/cl on every device: order, numbers, run-ahead, threads. */
#include "cl/queue.h"

#include "cl/cl_context.h"
#include "cl_rig.h"
#include "devices.h"

#include <pthread.h>
#include <string.h>

static void open_rig(struct wt_rig *rig, const weir_device *device)
{
    wt_ok(wt_rig_open(rig, device));
}

WEIR_DEVICE_TEST_BARE_TAGGED(cl_queue, runs_commands_in_order)
{
    struct wt_rig rig;
    uint32_t expected = 7;
    uint32_t three = 3;
    uint32_t values[4] = {1, 2, 3, 4};

    (void)dev;
    open_rig(&rig, device);
    wt_ok(wt_rig_fill(rig.queue, rig.buffer, expected));
    for (uint32_t i = 0; i < 50; i++) {
        wt_ok(wt_rig_launch(rig.queue, rig.kernel, rig.buffer, 3, i));
        expected = expected * 3 + i;
    }
    wt_rig_expect(rig.queue, rig.buffer, expected);

    wt_ok(wi_queue_write(rig.queue, rig.buffer, 16, sizeof values, values));
    wt_ok(wi_queue_copy(rig.queue, rig.buffer, 16, rig.buffer, 64, sizeof values));
    wt_ok(wi_queue_fill(rig.queue, rig.buffer, 68, 4, &three, 4));
    memset(values, 0, sizeof values);
    wt_ok(wi_queue_read(rig.queue, rig.buffer, 64, sizeof values, values));
    cr_assert(values[0] == 1 && values[1] == 3 && values[2] == 3 && values[3] == 4);
    wt_rig_close(&rig);
}

WEIR_DEVICE_TEST_BARE_TAGGED(cl_queue, numbers_commands_and_knows_their_end)
{
    struct wt_rig rig;
    uint64_t launches = 0;
    uint64_t copies = 0;
    uint64_t start = 0;

    (void)dev;
    open_rig(&rig, device);
    start = wi_queue_get_sequence(rig.queue); /* the touch */
    cr_assert_eq(wi_queue_get_completed(rig.queue), start);
    wt_ok(wt_rig_fill(rig.queue, rig.buffer, 1));
    for (int i = 0; i < 5; i++) wt_ok(wt_rig_launch(rig.queue, rig.kernel, rig.buffer, 1, 1));
    cr_assert_eq(wi_queue_get_sequence(rig.queue), start + 6);
    cr_assert_leq(wi_queue_get_completed(rig.queue), start + 6);
    wt_ok(wi_queue_wait(rig.queue, start + 3));
    cr_assert_geq(wi_queue_get_completed(rig.queue), start + 3);
    wt_ok(wi_queue_finish(rig.queue));
    cr_assert_eq(wi_queue_get_completed(rig.queue), start + 6);
    wt_ok(wi_queue_finish(rig.queue));

    wt_ok(wt_rig_launch(rig.queue, rig.kernel, rig.buffer, 1, 1));
    wt_rig_expect(rig.queue, rig.buffer, 7);
    cr_assert_eq(wi_queue_get_completed(rig.queue), start + 8, "a read ends all before it");
    wi_queue_get_counts(rig.queue, &launches, &copies);
    cr_assert_eq(launches, 6);
    cr_assert_eq(copies, start + 2);
    wt_rig_close(&rig);
}

WEIR_DEVICE_TEST_BARE_TAGGED(cl_queue, learns_of_the_end_without_waiting)
{
    struct wt_rig rig;

    (void)dev;
    open_rig(&rig, device);
    wt_ok(wt_rig_fill(rig.queue, rig.buffer, 1));
    wt_ok(wt_rig_launch(rig.queue, rig.kernel, rig.buffer, 2, 5));
    /* ends by the test's timeout if the queue never tells */
    while (wi_queue_get_completed(rig.queue) < wi_queue_get_sequence(rig.queue)) continue;
    wt_rig_expect(rig.queue, rig.buffer, 7);
    wt_rig_close(&rig);
}

WEIR_DEVICE_TEST_BARE_TAGGED(cl_queue, runs_ahead_so_far_and_no_further)
{
    const uint64_t launches = wt_scale(10000) + (uint64_t)2 * WI_QUEUE_AHEAD;
    struct wt_rig rig;
    weir_live live;

    (void)dev;
    open_rig(&rig, device);
    wt_ok(wt_rig_fill(rig.queue, rig.buffer, 0));
    for (uint64_t i = 0; i < launches; i++) {
        uint64_t sequence = 0;
        wt_ok(wt_rig_launch(rig.queue, rig.kernel, rig.buffer, 1, 1));
        sequence = wi_queue_get_sequence(rig.queue);
        if (i % 64 != 0) continue;
        cr_assert_leq(sequence - wi_queue_get_completed(rig.queue), WI_QUEUE_AHEAD);
        weir_live_get(&live);
        cr_assert_leq(live.events, WI_QUEUE_AHEAD / WI_QUEUE_MARK + 2);
    }
    wt_rig_expect(rig.queue, rig.buffer, (uint32_t)launches);
    weir_live_get(&live);
    cr_assert_eq(live.events, 0, "markers outlive the commands they stand for");
    wt_rig_close(&rig);
}

WEIR_DEVICE_TEST_BARE_TAGGED(cl_queue, ignores_empty_commands)
{
    struct wt_rig rig;
    uint64_t start = 0;
    wi_launch launch;

    (void)dev;
    open_rig(&rig, device);
    start = wi_queue_get_sequence(rig.queue);
    launch = (wi_launch){rig.kernel, NULL, 0, 0, 0};
    wt_ok(wi_queue_launch(rig.queue, &launch));
    wt_ok(wi_queue_read(rig.queue, rig.buffer, 0, 0, NULL));
    wt_ok(wi_queue_write(rig.queue, rig.buffer, 0, 0, NULL));
    wt_ok(wi_queue_fill(rig.queue, rig.buffer, 0, 0, &start, 8));
    wt_ok(wi_queue_copy(rig.queue, rig.buffer, 0, rig.buffer, 0, 0));
    wt_ok(wi_queue_touch(rig.queue, rig.buffer, 0));
    cr_assert_eq(wi_queue_get_sequence(rig.queue), start);
    wt_rig_close(&rig);
}

WEIR_DEVICE_TEST_BARE(cl_queue, refuses_what_the_driver_refuses_and_goes_on)
{
    struct wt_rig rig;
    uint64_t start = 0;
    uint32_t value = 0;
    wi_arg arg;
    wi_launch launch;

    (void)dev;
    open_rig(&rig, device);
    wt_ok(wt_rig_fill(rig.queue, rig.buffer, 9));
    start = wi_queue_get_sequence(rig.queue);
    wt_fails(wi_queue_read(rig.queue, rig.buffer, WT_RIG_BYTES, 4, &value), WEIR_E_DRIVER);
    cr_assert_eq(weir_last_error()->cl_status, CL_INVALID_VALUE);
    arg = (wi_arg){.kind = WI_ARG_U32, .value.u32 = 1};
    launch = (wi_launch){rig.kernel, &arg, 1, 64, 0};
    wt_fails(wi_queue_launch(rig.queue, &launch), WEIR_E_DRIVER);
    cr_assert_eq(wi_queue_get_sequence(rig.queue), start, "a refused command has no number");
    wt_rig_expect(rig.queue, rig.buffer, 9);
    wt_ok(wt_rig_launch(rig.queue, rig.kernel, rig.buffer, 2, 1));
    wt_rig_expect(rig.queue, rig.buffer, 19);
    wt_rig_close(&rig);
}

WEIR_DEVICE_TEST_BARE_TAGGED(cl_queue, follows_a_buffer_handle_that_is_used_again)
{
    const uint64_t rounds = wt_scale(500) + 8;
    struct wt_rig rig;
    cl_mem buffer = NULL;
    uint64_t again = 0;
    cl_mem before = NULL;

    (void)dev;
    open_rig(&rig, device);
    for (uint64_t i = 0; i < rounds; i++) {
        wt_ok(wi_cl_buffer_create(rig.target.context, WT_RIG_BYTES, &buffer));
        again += buffer == before;
        wt_ok(wt_rig_fill(rig.queue, buffer, (uint32_t)i));
        wt_ok(wt_rig_launch(rig.queue, rig.kernel, buffer, 2, 3));
        wt_rig_expect(rig.queue, buffer, (uint32_t)i * 2 + 3);
        before = buffer;
        wi_cl_buffer_release(buffer);
    }
    cr_log_info("%llu handles were used again", (unsigned long long)again);
    wt_rig_close(&rig);
}

struct worker {
    struct wt_rig *rig;
    wi_queue *queue;
    cl_mem buffer;
    uint32_t step;
    uint64_t launches;
    weir_status status;
};

static void *launch_often(void *argument)
{
    struct worker *worker = argument;

    for (uint64_t i = 0; i < worker->launches && worker->status == WEIR_OK; i++)
        worker->status =
            wt_rig_launch(worker->queue, worker->rig->kernel, worker->buffer, 1, worker->step);
    return NULL;
}

/* Without a lock from the first argument to the enqueue, one thread's launch would take the other's buffer or step. Not
 * tagged, as the next one: Oclgrind cannot be used by two threads. */
WEIR_DEVICE_TEST_BARE(cl_queue, shares_a_kernel_between_threads)
{
    struct worker workers[2];
    pthread_t threads[2];
    struct wt_rig rig;

    (void)dev;
    open_rig(&rig, device);
    for (uint32_t i = 0; i < 2; i++) {
        workers[i] = (struct worker){&rig, NULL, NULL, i * 1000 + 1, wt_scale(4000), WEIR_OK};
        wt_ok(wi_queue_create(rig.target.context, rig.target.device, &workers[i].queue));
        wt_ok(wi_cl_buffer_create(rig.target.context, WT_RIG_BYTES, &workers[i].buffer));
        wt_ok(wt_rig_fill(workers[i].queue, workers[i].buffer, 0));
    }
    for (int i = 0; i < 2; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, launch_often, &workers[i]), 0);
    for (int i = 0; i < 2; i++) cr_assert_eq(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < 2; i++) {
        wt_ok(workers[i].status);
        wt_rig_expect(workers[i].queue, workers[i].buffer,
                      (uint32_t)workers[i].launches * workers[i].step);
        wi_queue_destroy(workers[i].queue);
        wi_cl_buffer_release(workers[i].buffer);
    }
    wt_rig_close(&rig);
}

static void *wait_often(void *argument)
{
    struct worker *worker = argument;

    for (uint64_t i = 0; i < worker->launches / 16 && worker->status == WEIR_OK; i++) {
        const uint64_t sequence = wi_queue_get_sequence(worker->queue);
        worker->status = wi_queue_wait(worker->queue, sequence);
        if (worker->status == WEIR_OK && wi_queue_get_completed(worker->queue) < sequence)
            worker->status = WEIR_E_ARG;
    }
    return NULL;
}

WEIR_DEVICE_TEST_BARE(cl_queue, is_shared_between_threads_that_launch_and_wait)
{
    struct worker workers[3];
    pthread_t threads[3];
    struct wt_rig rig;

    (void)dev;
    open_rig(&rig, device);
    wt_ok(wt_rig_fill(rig.queue, rig.buffer, 0));
    for (int i = 0; i < 3; i++) {
        workers[i] = (struct worker){&rig, rig.queue, rig.buffer, 1, wt_scale(4000), WEIR_OK};
        cr_assert_eq(
            pthread_create(&threads[i], NULL, i < 2 ? launch_often : wait_often, &workers[i]), 0);
    }
    for (int i = 0; i < 3; i++) cr_assert_eq(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < 3; i++) wt_ok(workers[i].status);
    wt_rig_expect(rig.queue, rig.buffer, (uint32_t)(2 * workers[0].launches));
    wt_rig_close(&rig);
}
