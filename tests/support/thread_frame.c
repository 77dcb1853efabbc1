/* Threads that start as fast as one after the other can be made: none waits for the last one. */
#include "thread_frame.h"

#include <weir/live.h>
#include <weir/pool.h>

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

typedef struct member {
    wt_thread_body *body;
    void *user;
    unsigned number;
} member;

static void *run(void *user)
{
    member *self = user;

    return self->body(self->user, self->number) ? NULL : self;
}

int wt_threads_run(unsigned count, wt_thread_body *body, void *user)
{
    member members[WT_THREADS];
    pthread_t threads[WT_THREADS];
    unsigned started = 0;
    int ok = count <= WT_THREADS;

    for (; ok && started < count; started++) {
        members[started] = (member){body, user, started};
        if (pthread_create(&threads[started], NULL, run, &members[started]) != 0) break;
    }
    ok = started == count;
    while (started > 0) {
        void *failed = NULL;

        (void)pthread_join(threads[--started], &failed);
        ok = ok && failed == NULL;
    }
    return ok;
}

int wt_threads_open(const weir_memory_options *memory, wt_thread_place *out)
{
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_device *device = NULL;
    int ok = 1;

    *out = (wt_thread_place){NULL, NULL};
    options.no_self_check = 1;
    WT_TRY(ok, weir_system_create(&out->system));
    WT_TRY(ok, weir_system_find(out->system, NULL, &device));
    if (memory != NULL) WT_TRY(ok, weir_device_configure(device, memory));
    WT_TRY(ok, weir_context_create(device, &options, &out->context));
    return ok;
}

int wt_threads_close(wt_thread_place *place)
{
    weir_pool_stats stats = {0};
    weir_live live;

    if (place->context != NULL) weir_pool_get_stats(weir_context_get_pool(place->context), &stats);
    weir_context_release(place->context);
    weir_system_destroy(place->system);
    *place = (wt_thread_place){NULL, NULL};
    weir_live_get(&live);
    if (stats.blocks.current == 0 && stats.in_use_bytes.current == 0 && live.total == 0) return 1;
    (void)fprintf(stderr, "left: %llu blocks, %llu OpenCL objects\n",
                  (unsigned long long)stats.blocks.current, (unsigned long long)live.total);
    return 0;
}

int wt_thread_fails(const char *what)
{
    (void)fprintf(stderr, "%s: %s\n", what, weir_last_error()->message);
    return 0;
}
