/* Programs: from the cache on disk if it has the binary, else from text.
 *
 * The cache is an optimisation that may never cost correctness: whatever goes wrong with it, from the folder to the
 * driver's opinion of the binary, ends in a build from text. Writing is left to wi_program_store(), since some drivers
 * compile again when they are asked for binaries.
 * Locking: none; a program does not change after it was made, but for the flag that says it needs storing.
 */
#include "cl/program.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/status.h"
#include "cl/binary_cache.h"
#include "cl/cl_status.h"
#include "cl/live.h"
#include "cl/source.h"

#include <stdatomic.h>
#include <string.h>

struct wi_program {
    cl_program handle;
    cl_device_id device;
    wi_cache_key key;
    atomic_int needs_store; /* 1: built from text, and not written to the cache yet */
};

/* As much of a build log as fits into a one-line message beside the rest. */
#define MESSAGE_LOG_BYTES 300

static void release_program(cl_program handle)
{
    if (handle == NULL) return;
    wi_live_drop(WI_LIVE_PROGRAM);
    (void)clReleaseProgram(handle);
}

/* The build log without blanks at its end; from wi_malloc, NULL if there is none to be had. */
static char *query_log(cl_program handle, cl_device_id device)
{
    size_t bytes = 0;
    char *log = NULL;

    if (clGetProgramBuildInfo(handle, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) !=
        CL_SUCCESS) {
        return NULL;
    }
    if (bytes == 0 || bytes == SIZE_MAX) return NULL;
    log = wi_calloc(bytes + 1, 1);
    if (log == NULL) return NULL;
    if (clGetProgramBuildInfo(handle, device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL) !=
        CL_SUCCESS) {
        wi_free(log);
        return NULL;
    }
    for (size_t end = strlen(log); end > 0 && strchr(" \t\r\n", log[end - 1]) != NULL;) {
        log[--end] = 0;
    }
    if (log[0] == 0) {
        wi_free(log);
        return NULL;
    }
    return log;
}

/* The start of a log as one line: line ends become "; ". */
static void cut_log(const char *log, char *out, size_t room)
{
    size_t used = 0;
    while (*log != 0 && used + 3 < room) {
        if (*log == '\n') {
            out[used++] = ';';
            out[used++] = ' ';
            log += strspn(log, "\r\n\t ");
        } else {
            out[used++] = *log++;
        }
    }
    out[used] = 0;
}

static weir_status fail_build(cl_int code, cl_program handle, const wi_program_target *target,
                              const wi_source *sources, size_t source_count)
{
    const char *name = source_count > 0 ? sources[source_count - 1].name : "no text";
    char start[MESSAGE_LOG_BYTES] = "no log";
    char *log = query_log(handle, target->device);

    if (log != NULL) {
        wi_log_text(WEIR_LOG_ERROR, log);
        cut_log(log, start, sizeof start);
    }
    wi_free(log);
    return wi_cl_fail(code, "clBuildProgram", "%s for %s: %s", name, target->device_name, start);
}

static weir_status build_text(const wi_program_target *target, const char *text, size_t bytes,
                              const char *options, const wi_source *sources, size_t source_count,
                              cl_program *out)
{
    cl_int code = CL_SUCCESS;
    weir_status st = WEIR_OK;
    char *log = NULL;
    cl_program handle = clCreateProgramWithSource(target->context, 1, &text, &bytes, &code);

    if (code != CL_SUCCESS) {
        return wi_cl_fail(code, "clCreateProgramWithSource", "%zu bytes of text", bytes);
    }
    wi_live_add(WI_LIVE_PROGRAM);
    code = clBuildProgram(handle, 1, &target->device, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        st = fail_build(code, handle, target, sources, source_count);
        release_program(handle);
        return st;
    }
    log = query_log(handle, target->device);
    if (log != NULL) wi_log_text(WEIR_LOG_DEBUG, log);
    wi_free(log);
    *out = handle;
    return WEIR_OK;
}

/* 1 if the driver says that there is no kernel in a program it has built. */
static int is_empty(cl_program handle)
{
    size_t kernels = 0;
    return clGetProgramInfo(handle, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL) ==
               CL_SUCCESS &&
           kernels == 0;
}

/* NULL if the driver does not take the binary, or finds no kernel in it. */
static cl_program build_binary(const wi_program_target *target, const void *data, size_t bytes,
                               const char *options)
{
    const unsigned char *binary = data;
    cl_int binary_code = CL_SUCCESS;
    cl_int code = CL_SUCCESS;
    cl_program handle = clCreateProgramWithBinary(target->context, 1, &target->device, &bytes,
                                                  &binary, &binary_code, &code);

    if (code != CL_SUCCESS) return NULL;
    wi_live_add(WI_LIVE_PROGRAM);
    if (binary_code != CL_SUCCESS ||
        clBuildProgram(handle, 1, &target->device, options, NULL, NULL) != CL_SUCCESS ||
        is_empty(handle)) {
        release_program(handle);
        return NULL;
    }
    return handle;
}

/* NULL if the cache has no use. */
static cl_program load_cached(const wi_program_target *target, wi_cache_key key,
                              const char *options)
{
    char *folder = wi_binary_cache_folder();
    void *data = NULL;
    size_t bytes = 0;
    cl_program handle = NULL;

    if (folder != NULL && wi_binary_cache_read(folder, key, &data, &bytes)) {
        handle = build_binary(target, data, bytes, options);
        if (handle == NULL) {
            wi_log(WEIR_LOG_INFO, "%s refused a cached binary of %zu bytes; building from text",
                   target->device_name, bytes);
        }
    }
    wi_free(data);
    wi_free(folder);
    return handle;
}

weir_status wi_program_create(const wi_program_target *target, const wi_source *sources,
                              size_t source_count, const char *options, wi_program **out,
                              int *was_loaded)
{
    weir_status st = WEIR_OK;
    wi_program *program = NULL;
    char *text = NULL;
    size_t bytes = 0;

    *out = NULL;
    if (was_loaded != NULL) *was_loaded = 0;
    if (options == NULL) options = "";

    program = wi_calloc(1, sizeof *program);
    if (program == NULL) {
        st = wi_fail(WEIR_E_HOST_MEMORY, "wi_program_create", "%zu bytes", sizeof *program);
        goto done;
    }
    st = wi_source_join(sources, source_count, &text, &bytes);
    if (st != WEIR_OK) goto done;

    program->device = target->device;
    program->key = wi_binary_cache_key(&(wi_cache_subject){
        text, bytes, options, target->platform, target->device_name, target->driver_version});
    program->handle = load_cached(target, program->key, options);
    if (program->handle != NULL) {
        if (was_loaded != NULL) *was_loaded = 1;
    } else {
        st = build_text(target, text, bytes, options, sources, source_count, &program->handle);
        if (st != WEIR_OK) goto done;
        atomic_store(&program->needs_store, 1);
    }
    *out = program;
    program = NULL;
done:
    wi_free(text);
    wi_program_destroy(program);
    return st;
}

/* The binary for the program's one device; from wi_malloc, NULL if it is not to be had. */
static void *query_binary(const wi_program *program, size_t *bytes)
{
    unsigned char *data = NULL;
    cl_uint devices = 0;

    *bytes = 0;
    if (clGetProgramInfo(program->handle, CL_PROGRAM_NUM_DEVICES, sizeof devices, &devices, NULL) !=
            CL_SUCCESS ||
        devices != 1) {
        return NULL;
    }
    if (clGetProgramInfo(program->handle, CL_PROGRAM_BINARY_SIZES, sizeof *bytes, bytes, NULL) !=
            CL_SUCCESS ||
        *bytes == 0) {
        return NULL;
    }
    data = wi_malloc(*bytes);
    if (data == NULL) return NULL;
    if (clGetProgramInfo(program->handle, CL_PROGRAM_BINARIES, sizeof data, &data, NULL) !=
        CL_SUCCESS) {
        wi_free(data);
        return NULL;
    }
    return data;
}

void wi_program_store(wi_program *program)
{
    char *folder = NULL;
    void *data = NULL;
    size_t bytes = 0;

    if (!atomic_exchange(&program->needs_store, 0)) return;
    folder = wi_binary_cache_folder();
    if (folder == NULL) return;
    data = query_binary(program, &bytes);
    if (data == NULL) {
        wi_log(WEIR_LOG_DEBUG, "program cache: the driver gives no binary");
    } else if (!wi_binary_cache_write(folder, program->key, data, bytes)) {
        wi_log(WEIR_LOG_DEBUG, "program cache: %zu bytes could not be written to %s", bytes,
               folder);
    }
    wi_free(data);
    wi_free(folder);
}

void wi_program_destroy(wi_program *program)
{
    if (program == NULL) return;
    release_program(program->handle);
    wi_free(program);
}

cl_program wi_program_get_handle(const wi_program *program) { return program->handle; }

cl_device_id wi_program_get_device(const wi_program *program) { return program->device; }
