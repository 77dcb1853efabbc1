/* select.read: how long reading a text of 1 MB takes, from its bytes to records.
 *
 * The text is made: what clinfo prints for people, of as many devices as fit, so that every line is one that the reader
 * knows. A sample is the fastest of some rounds, in processor time. */
#include "bench.h"
#include "command.h"
#include "stopwatch.h"

#include <weir/records.h>

#include <stdio.h>
#include <stdlib.h>

#define REPEATS 9
#define ROUNDS 5
#define TEXT_BYTES ((size_t)1000000)

/* Labels as clinfo pads them, and values; kept apart so that the program itself is no text of clinfo's. */
static const char *const head[][2] = {
    {"  Platform Name", "Made Platform"},
    {"  Platform Vendor", "Made Vendor"},
    {"  Platform Version", "OpenCL 3.0 made"},
    {"  Platform Profile", "FULL_PROFILE"},
    {"  Platform Extensions", "cl_khr_icd"},
    {"  Platform Extensions function suffix", "MADE"},
    {"", ""},
    {"  Platform Name", "Made Platform"},
};

static const char *const device[][2] = {
    {"  Device Vendor", "Made Vendor"},
    {"  Device Vendor ID", "0x1002"},
    {"  Device Version", "OpenCL 3.0 made"},
    {"  Driver Version", "1.2.3"},
    {"  Device OpenCL C Version", "OpenCL C 1.2"},
    {"  Device Type", "GPU"},
    {"  Device Topology (AMD)", "PCI-E, 0000:03:00.0"},
    {"  Device Profile", "FULL_PROFILE"},
    {"  Device Available", "Yes"},
    {"  Compiler Available", "Yes"},
    {"  Linker Available", "Yes"},
    {"  Max compute units", "64"},
    {"  Max clock frequency", "1630MHz"},
    {"  Max work item dimensions", "3"},
    {"  Max work item sizes", "1024x1024x1024"},
    {"  Max work group size", "256"},
    {"  Preferred work group size multiple", "64"},
    {"  Preferred / native vector sizes", ""},
    {"    char", "4 / 4"},
    {"    float", "1 / 1"},
    {"    double", "1 / 1        (cl_khr_fp64)"},
    {"  Double-precision Floating-point support", "(cl_khr_fp64)"},
    {"    Denormals", "Yes"},
    {"    Infinity and NANs", "Yes"},
    {"  Address bits", "64, Little-Endian"},
    {"  Global memory size", "8573157376 (7.984GiB)"},
    {"  Error Correction support", "No"},
    {"  Max memory allocation", "7287183769 (6.787GiB)"},
    {"  Unified memory for Host and Device", "No"},
    {"  Minimum alignment for any data type", "128 bytes"},
    {"  Alignment of base address", "1024 bits (128 bytes)"},
    {"  Global Memory cache type", "Read/Write"},
    {"  Global Memory cache size", "16384 (16KiB)"},
    {"  Local memory type", "Local"},
    {"  Local memory size", "65536 (64KiB)"},
    {"  Device Extensions",
     "cl_khr_fp64 cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "
     "cl_khr_local_int32_base_atomics cl_khr_byte_addressable_store"},
};

#define COUNT(Array) (sizeof(Array) / sizeof(Array)[0])
#define DEVICES ((size_t)400)

static void write_lines(FILE *stream, const char *const (*lines)[2], size_t count)
{
    for (size_t i = 0; i < count; i++)
        (void)fprintf(stream, "%-48s  %s\n", lines[i][0], lines[i][1]);
}

/* Makes the text; owned by the caller, NULL for want of memory. */
static char *make_text(size_t *bytes)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, bytes);

    if (stream == NULL) return NULL;
    (void)fprintf(stream, "%-48s  1\n", "Number of platforms");
    write_lines(stream, head, COUNT(head));
    (void)fprintf(stream, "%-48s  %zu\n", "Number of devices", DEVICES);
    for (size_t i = 0; i < DEVICES; i++) {
        (void)fprintf(stream, "%-48s  Made Device %zu\n", "  Device Name", i);
        write_lines(stream, device, COUNT(device));
        (void)fputc('\n', stream);
    }
    while (ftell(stream) < (long)TEXT_BYTES) (void)fputc('\n', stream);
    if (fclose(stream) == 0) return text;
    free(text);
    return NULL;
}

/* Reads the text; returns the seconds it took, negative on failure. */
static double read_once(const char *text, size_t bytes)
{
    weir_records *records = NULL;
    double start = stopwatch_thread();
    int is_read = weir_records_read(text, bytes, NULL, &records) == WEIR_OK;

    start = stopwatch_thread() - start;
    is_read = is_read && weir_records_count(records) == DEVICES;
    weir_records_destroy(records);
    return is_read ? start : -1;
}

static int run_read(const bench_peers *peers, bench_row *row)
{
    size_t bytes = 0;
    char *text = make_text(&bytes);
    int code = PROGRAM_OK;

    (void)peers;
    (void)snprintf(row->unit, sizeof row->unit, "s");
    if (text == NULL) {
        (void)snprintf(row->reason, sizeof row->reason, "no host memory for a text");
        return PROGRAM_FAILED;
    }
    for (int i = 0; i < REPEATS && code == PROGRAM_OK; i++) {
        double best = -1;

        for (int round = 0; round < ROUNDS && code == PROGRAM_OK; round++) {
            const double spent = read_once(text, bytes);

            if (spent < 0) code = bench_fail(row, "select.read");
            if (best < 0 || spent < best) best = spent;
        }
        if (code == PROGRAM_OK) bench_samples_add(&row->samples, best);
    }
    free(text);
    return code;
}

const bench_measurement bench_select_read = {"select.read", run_read, BENCH_VALUE_AT_MOST, 0.020};
