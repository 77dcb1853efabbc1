/* Measurements of `weir bench`: what one is, and the row it gives. */
#ifndef WEIR_BENCH_BENCH_H
#define WEIR_BENCH_BENCH_H

#include <weir/system.h>

#include <stddef.h>

#define BENCH_REPEATS_MAX 16
#define BENCH_TEXT_BYTES 256

/* Numbers of one side, kept as measured. Invariant: count <= BENCH_REPEATS_MAX. */
typedef struct bench_samples {
    double repeats[BENCH_REPEATS_MAX];
    size_t count;
} bench_samples;

/* Where peers are. Borrowed strings. */
typedef struct bench_peers {
    const char *folder;       /* of the peer programs; NULL: none given */
    const char *torch_python; /* the python that has torch; NULL: none given */
    const char *tf_python;    /* the python that has tensorflow and jax; NULL: none given */
} bench_peers;

/* How a target reads: on the ratio to the peer, on the difference to it, on the value alone, or not at all. */
typedef enum bench_rule {
    BENCH_RATIO_AT_MOST,
    BENCH_RATIO_AT_LEAST,
    BENCH_DIFFERENCE_AT_MOST,
    BENCH_VALUE_AT_MOST,
    BENCH_VALUE_AT_LEAST,
    BENCH_NO_TARGET
} bench_rule;

/* What a measurement found.
 *
 * Invariants: value and peer value are the medians of the samples; a side without samples has none. */
typedef struct bench_row {
    char unit[16];
    bench_samples samples;
    char peer
        [BENCH_TEXT_BYTES]; /* what is compared with, or what is missing; "": nothing is compared */
    bench_samples peer_samples;
    int is_void; /* 1: the comparison does not count, for the reason below */
    char reason
        [BENCH_TEXT_BYTES]; /* why there are no samples, or why they do not count; "" if all is well */
} bench_row;

/* One measurement; several of one name have different peers. `run` is called in a process of its own, which no OpenCL call was made in; it gives a
 * program_exit, the reason for anything but PROGRAM_OK on stderr or in the row. */
typedef struct bench_measurement {
    const char *name;
    int (*run)(const bench_peers *peers, bench_row *row);
    bench_rule rule;
    double target; /* in the row's unit where the rule is not on a ratio */
} bench_measurement;

extern const bench_measurement bench_loop_eager;
extern const bench_measurement bench_loop_variable;
extern const bench_measurement bench_loop_tape;
extern const bench_measurement bench_loop_function_hand;
extern const bench_measurement bench_loop_function_torch;
extern const bench_measurement bench_loop_function_jax;
extern const bench_measurement bench_loop_function_tf;
extern const bench_measurement bench_loop_function_tf_jit;
extern const bench_measurement bench_capture_1000;
extern const bench_measurement bench_function_call;
extern const bench_measurement bench_op_overhead;
extern const bench_measurement bench_start_warm;
extern const bench_measurement bench_accumulate_f32;
extern const bench_measurement bench_alloc_pair;
extern const bench_measurement bench_alloc_pair_malloc;
extern const bench_measurement bench_alloc_pair_driver;
extern const bench_measurement bench_alloc_pair_pyopencl;
extern const bench_measurement bench_alloc_pair_1000;
extern const bench_measurement bench_alloc_pair_1000000;
extern const bench_measurement bench_alloc_mixed_malloc;
extern const bench_measurement bench_alloc_mixed_driver;
extern const bench_measurement bench_alloc_threads_2;
extern const bench_measurement bench_alloc_threads_4;
extern const bench_measurement bench_alloc_threads_8;
extern const bench_measurement bench_replay_events;
extern const bench_measurement bench_replay_roots;
extern const bench_measurement bench_select_live;
extern const bench_measurement bench_select_read;

/** Appends a number; beyond BENCH_REPEATS_MAX it is dropped. */
void bench_samples_add(bench_samples *samples, double value);

/** Returns the median, the mean of the middle two of an even count; 0 without samples. */
double bench_samples_median(const bench_samples *samples);

/** Reports the last weir error as the row's reason; returns PROGRAM_FAILED. */
int bench_fail(bench_row *row, const char *what);

/** Notes that there is no device and that the reason was told: measurements that begin later neither look nor tell. */
void bench_note_no_device(void);

/** Chooses the device to measure on, WEIR_DEVICE or the best, for a pool of WEIR_POOL and WEIR_LIMIT.
 * system, device   as device_choose() gives them
 * Returns a program_exit; the reason for anything but PROGRAM_OK on stderr, unless bench_note_no_device() was called. */
int bench_choose_device(weir_system **system, weir_device **device);

#endif
