/* Making the n-th call fail, for n = 1, 2, ... until nothing fails any more.
 *
 * OpenCL calls are reached by linking a test with the library's objects and ld's --wrap (weir_fault_test with
 * WRAP ${WEIR_FAULT_CALLS}); host memory through weir_host_memory_set(). The library has no hooks for tests.
 *
 * A scenario is a function that opens what it needs, works, and closes all of it whatever happened:
 *
 *   static weir_status add_twice(void *user) { ... return the first status that was not OK; }
 *   wt_fault_each(&(wt_fault_options){.kind = WT_FAULT_CL}, add_twice, NULL);
 *
 * It asserts itself that outputs of a failed call are NULL. The loop asserts for each n: a failure was returned and
 * recorded, live OpenCL objects and host bytes are what they were before.
 */
#ifndef WT_FAULT_H
#define WT_FAULT_H

#include <weir/status.h>

#include <stdint.h>

typedef enum wt_fault_kind { WT_FAULT_CL, WT_FAULT_HOST } wt_fault_kind;

typedef weir_status wt_scenario(void *user);

typedef struct wt_fault_options {
    wt_fault_kind kind;
    const char *call; /* CL: only calls of this function count and fail; NULL: all wrapped ones */
    int code;         /* CL: the code; 0: the one of the function's row in fault_calls.h */
    int is_open;      /* 1: the n-th call and all later ones fail */
    const char *
        tolerated; /* CL: calls whose failure need not show, as " clFlush clGetProgramInfo "; NULL: none.
                              HOST: any text: a failed allocation need not show (a cache that stays empty) */
    int warms_up; /* 1: run the scenario once before, for one that keeps a context with its caches */
    uint64_t first; /* n starts here; 0: at 1 */
    uint64_t step;  /* and grows by this; 0: by 1 */
} wt_fault_options;

/* What a loop did. failed + tolerated == runs - 1: the last run has no fault. */
typedef struct wt_fault_result {
    uint64_t runs;
    uint64_t failed;
    uint64_t tolerated;
} wt_fault_result;

/* Runs the loop; asserts. The host allocator of the process counts from here on. */
wt_fault_result wt_fault_each(const wt_fault_options *options, wt_scenario *scenario, void *user);

/* By hand: arms one fault, and tells whether it struck. `call` and `code` as above. */
void wt_fault_arm(wt_fault_kind kind, const char *call, uint64_t n, int code, int is_open);
int wt_fault_disarm(void);

/* The name of the function that was made to fail last, "" if none since arming. */
const char *wt_fault_struck(void);

/* Counts host memory of the library from now on; to be called while it holds none. */
void wt_host_count_begin(void);
uint64_t wt_host_live_bytes(void);
uint64_t wt_host_live_blocks(void);

#endif
