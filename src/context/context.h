/* A context as the rooms above see it. */
#ifndef WI_CONTEXT_CONTEXT_H
#define WI_CONTEXT_CONTEXT_H

#include "cl/program.h"
#include "device/device.h"
#include "mem/queues.h"

#include <weir/context.h>

#include <stdint.h>

/* Describes a kernel to build when the cache has none for its key. */
typedef struct wi_kernel_recipe {
    const wi_source *sources; /* after the prelude, which the context adds */
    size_t source_count;
    const char *kernel; /* name within the text */
} wi_kernel_recipe;

/* What a context is made on. */
typedef struct wi_context_source {
    weir_device *device;
    weir_device
        *own_device;   /* the same, if it goes with the context (wi_device_forget); else NULL */
    cl_context handle; /* somebody's, borrowed; NULL: one is made */
    cl_command_queue queue; /* somebody's, borrowed; NULL: one is made */
    uint64_t align_bytes;   /* of all devices of the handle; 0: the device's */
    int is_self_checked;
} wi_context_source;

/** Opens a context. own_device is taken over, also if it fails. Errors: as weir_context_create(). */
weir_status wi_context_open(const wi_context_source *source, weir_context **out);

/** Finds the kernel of `key`, or builds it from the recipe that `make` writes.
 * key     names the text for this context: equal keys, equal text. 0 is not a key
 * make    called without locks held, at most once a miss; its sources stay valid until `user` is released by the caller
 * Thread: safe; two threads that miss may both build, one of the results is kept.
 * Errors: as wi_program_create() and wi_kernel_create(). */
weir_status wi_context_kernel(weir_context *context, uint64_t key,
                              weir_status (*make)(void *user, wi_kernel_recipe *recipe), void *user,
                              wi_kernel **out);

/** The driver's side of weir_context_get_queue(). */
wi_queue *wi_context_get_queue(weir_context *context);

const wi_device_traits *wi_context_get_traits(const weir_context *context);

cl_context wi_context_get_cl_context(const weir_context *context);

/** OK, or FORKED (recorded) in a process forked after the context was opened. */
weir_status wi_context_check_process(const weir_context *context);

/** 0 in a process forked after the context was opened. */
int wi_context_is_of_process(const weir_context *context);

/** Makes a view of the queue's context. out: counted, weir_context_release(). Errors: HOST_MEMORY. */
weir_status wi_context_create_view(weir_queue *queue, weir_context **out);

/** The context that objects made through `context` belong to: a view's base, any other itself. */
weir_context *wi_context_get_owner(weir_context *context);

/** Counts a copy made because storage was shared. */
void wi_context_count_cow(weir_context *context);

#endif
