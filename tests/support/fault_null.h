/* The frame of fault loops on the null ICD: a system whose host memory is counted, with a kernel cache of its own or
 * none, opened before the loop and closed after it. A scenario gets the system's device as its user. */
#ifndef WT_FAULT_NULL_H
#define WT_FAULT_NULL_H

#include "fault.h"

#include <weir/device.h>
#include <weir/system.h>

#include <criterion/criterion.h>

#include <stdint.h>

/* Calls with another way to go: the log of a build that went well, the pool's first root, which it then takes in a
 * smaller size (a root is touched by a write), and a look at a queue's progress, which is taken again later. */
#define WT_FAULT_MADE_GOOD \
    " clGetProgramBuildInfo clCreateBuffer clEnqueueWriteBuffer clGetEventInfo "

/* Each OpenCL call, those above tolerated; and each host allocation, where a cache does without. */
extern const wt_fault_options wt_fault_calls;
extern const wt_fault_options wt_fault_host;

/* Opens the system and returns its device; asserts. Settings of the null ICD are made before. wt_fault_open() turns the
 * kernel cache on, in an empty folder; the other one turns it off. */
weir_device *wt_fault_open(weir_system **system);
weir_device *wt_fault_open_uncached(weir_system **system);

/* Destroys the system, and removes the folder of the cache. */
void wt_fault_close(weir_system *system);

/* Opens, runs the loop and closes. */
wt_fault_result wt_fault_on_null(const wt_fault_options *options, wt_scenario *scenario);
wt_fault_result wt_fault_on_null_uncached(const wt_fault_options *options, wt_scenario *scenario);

/* The next call of a scenario, unless Status tells a failure already: its output is there exactly after success. */
#define WT_FAULT_STEP(Status, Call, Out)                                                        \
    do {                                                                                        \
        if ((Status) == WEIR_OK) {                                                              \
            (Out) = (void *)WT_FAULT_UNSET;                                                     \
            (Status) = (Call);                                                                  \
            cr_assert((Status) == WEIR_OK ? (Out) != NULL && (uintptr_t)(Out) != WT_FAULT_UNSET \
                                          : (Out) == NULL,                                      \
                      "%s left its output", #Call);                                             \
        }                                                                                       \
    } while (0)
#define WT_FAULT_UNSET ((uintptr_t)16)

#endif
