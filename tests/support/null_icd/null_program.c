/* Programs and kernels of the null ICD. Nothing is compiled: a build succeeds, or fails with the log of BUILD_LOG.
 *
 * The "binary" of a program is a heading and its source, so that a cache of binaries can be written, read back and
 * found damaged. A kernel exists if its name stands in the source.
 */
#include "null_icd.h"

#include <stdlib.h>
#include <string.h>

#define HEADING "null ICD binary\n"
#define HEADING_BYTES (sizeof HEADING - 1)
#define KERNEL_ARGS_MAX 64

static void dispose_program(void *object)
{
    cl_program program = object;

    free(program->source);
    free(program->options);
    free(program->log);
}

static void dispose_kernel(void *object)
{
    cl_kernel kernel = object;

    free(kernel->name);
}

static size_t piece_bytes(const char *piece, const size_t *lengths, cl_uint i)
{
    return lengths != NULL && lengths[i] != 0 ? lengths[i] : strlen(piece);
}

/* Joins the pieces of a source; NULL without memory. */
static char *join(cl_uint count, const char **pieces, const size_t *lengths)
{
    size_t bytes = 0;
    size_t used = 0;
    char *text = NULL;

    for (cl_uint i = 0; i < count; i++) bytes += piece_bytes(pieces[i], lengths, i);
    text = malloc(bytes + 1);
    if (text == NULL) return NULL;
    for (cl_uint i = 0; i < count; i++) {
        size_t part = piece_bytes(pieces[i], lengths, i);
        memcpy(text + used, pieces[i], part);
        used += part;
    }
    text[used] = '\0';
    return text;
}

static cl_program make_program(cl_context context, char *source, int is_binary, cl_int *out)
{
    cl_program program = NULL;

    if (source != NULL)
        program =
            null_object_create(NULL_KIND_PROGRAM, sizeof *program, &context->head, dispose_program);
    null_tell(program != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, out);
    if (program == NULL) {
        free(source);
        return NULL;
    }
    program->source = source;
    program->is_binary = is_binary;
    program->status = CL_BUILD_NONE;
    return program;
}

static cl_program CL_API_CALL null_clCreateProgramWithSource(cl_context context, cl_uint count,
                                                             const char **pieces,
                                                             const size_t *lengths, cl_int *out)
{
    cl_int code = null_enter(NULL_clCreateProgramWithSource);

    if (code == CL_SUCCESS && !null_object_is(context, NULL_KIND_CONTEXT))
        code = CL_INVALID_CONTEXT;
    if (code == CL_SUCCESS && (count == 0 || pieces == NULL)) code = CL_INVALID_VALUE;
    for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++)
        if (pieces[i] == NULL) code = CL_INVALID_VALUE;
    null_tell(code, out);
    if (code != CL_SUCCESS) return NULL;
    return make_program(context, join(count, pieces, lengths), 0, out);
}

static cl_program CL_API_CALL null_clCreateProgramWithBinary(cl_context context, cl_uint count,
                                                             const cl_device_id *devices,
                                                             const size_t *lengths,
                                                             const unsigned char **binaries,
                                                             cl_int *statuses, cl_int *out)
{
    cl_int code = null_enter(NULL_clCreateProgramWithBinary);
    const char *text = NULL;
    size_t bytes = 0;

    if (code == CL_SUCCESS && !null_object_is(context, NULL_KIND_CONTEXT))
        code = CL_INVALID_CONTEXT;
    if (code == CL_SUCCESS &&
        (count != 1 || devices == NULL || lengths == NULL || binaries == NULL))
        code = CL_INVALID_VALUE;
    if (code == CL_SUCCESS) {
        int is_ours =
            lengths[0] > HEADING_BYTES && memcmp(binaries[0], HEADING, HEADING_BYTES) == 0;
        code = is_ours ? CL_SUCCESS : CL_INVALID_BINARY;
        if (statuses != NULL) statuses[0] = code;
    }
    null_tell(code, out);
    if (code != CL_SUCCESS) return NULL;
    text = (const char *)binaries[0] + HEADING_BYTES;
    bytes = lengths[0] - HEADING_BYTES;
    return make_program(context, join(1, &text, &bytes), 1, out);
}

static cl_int CL_API_CALL null_clRetainProgram(cl_program program)
{
    cl_int code = null_enter(NULL_clRetainProgram);

    return code != CL_SUCCESS ? code : null_object_retain(program, NULL_KIND_PROGRAM);
}

static cl_int CL_API_CALL null_clReleaseProgram(cl_program program)
{
    cl_int code = null_enter(NULL_clReleaseProgram);

    return code != CL_SUCCESS ? code : null_object_release(program, NULL_KIND_PROGRAM);
}

/* Replaces a text; 0 without memory. */
static int replace(char **text, const char *with)
{
    char *copy = strdup(with);

    if (copy == NULL) return 0;
    free(*text);
    *text = copy;
    return 1;
}

static cl_int CL_API_CALL null_clBuildProgram(cl_program program, cl_uint count,
                                              const cl_device_id *devices, const char *options,
                                              void(CL_CALLBACK *notify)(cl_program, void *),
                                              void *user)
{
    cl_int code = null_enter(NULL_clBuildProgram);
    int fails = null_set.build_log[0] != '\0';

    if (code == CL_SUCCESS && !null_object_is(program, NULL_KIND_PROGRAM))
        code = CL_INVALID_PROGRAM;
    if (code == CL_SUCCESS && (count > 0) != (devices != NULL)) code = CL_INVALID_VALUE;
    if (code == CL_SUCCESS && (!replace(&program->options, options != NULL ? options : "") ||
                               !replace(&program->log, null_set.build_log)))
        code = CL_OUT_OF_HOST_MEMORY;
    if (code != CL_SUCCESS) return code;
    program->status = fails ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
    if (notify != NULL) notify(program, user);
    return fails ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}

static cl_int CL_API_CALL null_clUnloadCompiler(void) { return null_enter(NULL_clUnloadCompiler); }

static cl_int CL_API_CALL null_clUnloadPlatformCompiler(cl_platform_id platform)
{
    cl_int code = null_enter(NULL_clUnloadPlatformCompiler);

    return code != CL_SUCCESS || platform == &null_platform ? code : CL_INVALID_PLATFORM;
}

/* Writes the binary of the only device through the pointers of the CL_PROGRAM_BINARIES query. */
static cl_int answer_binaries(cl_program program, size_t room, void *out, size_t *bytes_ret)
{
    unsigned char **places = out;

    if (out != NULL && room < sizeof *places) return CL_INVALID_VALUE;
    if (bytes_ret != NULL) *bytes_ret = sizeof *places;
    if (places == NULL || places[0] == NULL || program->status != CL_BUILD_SUCCESS)
        return CL_SUCCESS;
    memcpy(places[0], HEADING, HEADING_BYTES);
    memcpy(places[0] + HEADING_BYTES, program->source, strlen(program->source));
    return CL_SUCCESS;
}

static cl_int CL_API_CALL null_clGetProgramInfo(cl_program program, cl_program_info property,
                                                size_t room, void *out, size_t *bytes_ret)
{
    cl_int code = null_enter(NULL_clGetProgramInfo);
    cl_context context = NULL;
    cl_uint number = 1;
    size_t bytes = 0;

    if (code != CL_SUCCESS) return code;
    if (!null_object_is(program, NULL_KIND_PROGRAM)) return CL_INVALID_PROGRAM;
    context = (cl_context)(void *)program->head.parent;
    switch (property) {
    case CL_PROGRAM_REFERENCE_COUNT:
        number = null_object_get_owners(program);
        break;
    case CL_PROGRAM_NUM_DEVICES:
        break;
    case CL_PROGRAM_CONTEXT:
        return null_answer(&context, sizeof context, room, out, bytes_ret);
    case CL_PROGRAM_DEVICES:
        return null_answer(context->devices, sizeof(cl_device_id), room, out, bytes_ret);
    case CL_PROGRAM_SOURCE:
        return null_answer(program->is_binary ? "" : program->source,
                           program->is_binary ? 1 : strlen(program->source) + 1, room, out,
                           bytes_ret);
    case CL_PROGRAM_BINARY_SIZES:
        if (program->status == CL_BUILD_SUCCESS) bytes = HEADING_BYTES + strlen(program->source);
        return null_answer(&bytes, sizeof bytes, room, out, bytes_ret);
    case CL_PROGRAM_BINARIES:
        return answer_binaries(program, room, out, bytes_ret);
    default:
        return CL_INVALID_VALUE;
    }
    return null_answer(&number, sizeof number, room, out, bytes_ret);
}

static cl_int CL_API_CALL null_clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                                     cl_program_build_info property, size_t room,
                                                     void *out, size_t *bytes_ret)
{
    cl_int code = null_enter(NULL_clGetProgramBuildInfo);
    const char *text = NULL;

    if (code != CL_SUCCESS) return code;
    if (!null_object_is(program, NULL_KIND_PROGRAM)) return CL_INVALID_PROGRAM;
    if (device == NULL) return CL_INVALID_DEVICE;
    switch (property) {
    case CL_PROGRAM_BUILD_STATUS:
        return null_answer(&program->status, sizeof program->status, room, out, bytes_ret);
    case CL_PROGRAM_BUILD_OPTIONS:
        text = program->options;
        break;
    case CL_PROGRAM_BUILD_LOG:
        text = program->log;
        break;
    default:
        return CL_INVALID_VALUE;
    }
    if (text == NULL) text = "";
    return null_answer(text, strlen(text) + 1, room, out, bytes_ret);
}

static cl_kernel CL_API_CALL null_clCreateKernel(cl_program program, const char *name, cl_int *out)
{
    cl_int code = null_enter(NULL_clCreateKernel);
    cl_kernel kernel = NULL;

    if (code == CL_SUCCESS && !null_object_is(program, NULL_KIND_PROGRAM))
        code = CL_INVALID_PROGRAM;
    if (code == CL_SUCCESS && program->status != CL_BUILD_SUCCESS)
        code = CL_INVALID_PROGRAM_EXECUTABLE;
    if (code == CL_SUCCESS && name == NULL) code = CL_INVALID_VALUE;
    if (code == CL_SUCCESS && strstr(program->source, name) == NULL) code = CL_INVALID_KERNEL_NAME;
    if (code == CL_SUCCESS) {
        kernel =
            null_object_create(NULL_KIND_KERNEL, sizeof *kernel, &program->head, dispose_kernel);
        if (kernel == NULL || !replace(&kernel->name, name)) {
            if (kernel != NULL) (void)null_object_release(kernel, NULL_KIND_KERNEL);
            code = CL_OUT_OF_HOST_MEMORY;
        }
    }
    null_tell(code, out);
    return code == CL_SUCCESS ? kernel : NULL;
}

static cl_int CL_API_CALL null_clRetainKernel(cl_kernel kernel)
{
    cl_int code = null_enter(NULL_clRetainKernel);

    return code != CL_SUCCESS ? code : null_object_retain(kernel, NULL_KIND_KERNEL);
}

static cl_int CL_API_CALL null_clReleaseKernel(cl_kernel kernel)
{
    cl_int code = null_enter(NULL_clReleaseKernel);

    return code != CL_SUCCESS ? code : null_object_release(kernel, NULL_KIND_KERNEL);
}

static cl_int CL_API_CALL null_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t bytes,
                                              const void *value)
{
    cl_int code = null_enter(NULL_clSetKernelArg);

    (void)value;
    if (code != CL_SUCCESS) return code;
    if (!null_object_is(kernel, NULL_KIND_KERNEL)) return CL_INVALID_KERNEL;
    if (index >= KERNEL_ARGS_MAX) return CL_INVALID_ARG_INDEX;
    return bytes > 0 ? CL_SUCCESS : CL_INVALID_ARG_SIZE;
}

static cl_int CL_API_CALL null_clGetKernelInfo(cl_kernel kernel, cl_kernel_info property,
                                               size_t room, void *out, size_t *bytes_ret)
{
    cl_int code = null_enter(NULL_clGetKernelInfo);
    cl_uint owners = 0;

    if (code != CL_SUCCESS) return code;
    if (!null_object_is(kernel, NULL_KIND_KERNEL)) return CL_INVALID_KERNEL;
    switch (property) {
    case CL_KERNEL_FUNCTION_NAME:
        return null_answer(kernel->name, strlen(kernel->name) + 1, room, out, bytes_ret);
    case CL_KERNEL_ATTRIBUTES:
        return null_answer("", 1, room, out, bytes_ret);
    case CL_KERNEL_PROGRAM:
        return null_answer(&kernel->head.parent, sizeof kernel->head.parent, room, out, bytes_ret);
    case CL_KERNEL_CONTEXT:
        return null_answer(&kernel->head.parent->parent, sizeof kernel->head.parent, room, out,
                           bytes_ret);
    case CL_KERNEL_REFERENCE_COUNT:
        owners = null_object_get_owners(kernel);
        return null_answer(&owners, sizeof owners, room, out, bytes_ret);
    default:
        return CL_INVALID_VALUE; /* the number of arguments is not known without a compiler */
    }
}

static cl_int CL_API_CALL null_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                                        cl_kernel_work_group_info property,
                                                        size_t room, void *out, size_t *bytes_ret)
{
    static const size_t no_sizes[3] = {0, 0, 0};
    cl_int code = null_enter(NULL_clGetKernelWorkGroupInfo);
    size_t items = 1024;
    cl_ulong bytes = 0;

    (void)device;
    if (code != CL_SUCCESS) return code;
    if (!null_object_is(kernel, NULL_KIND_KERNEL)) return CL_INVALID_KERNEL;
    switch (property) {
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        items = 32;
        break;
    case CL_KERNEL_WORK_GROUP_SIZE:
        break;
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return null_answer(no_sizes, sizeof no_sizes, room, out, bytes_ret);
    case CL_KERNEL_LOCAL_MEM_SIZE:
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        return null_answer(&bytes, sizeof bytes, room, out, bytes_ret);
    default:
        return CL_INVALID_VALUE;
    }
    return null_answer(&items, sizeof items, room, out, bytes_ret);
}

void null_add_program(cl_icd_dispatch *table)
{
    table->clCreateProgramWithSource = null_clCreateProgramWithSource;
    table->clCreateProgramWithBinary = null_clCreateProgramWithBinary;
    table->clRetainProgram = null_clRetainProgram;
    table->clReleaseProgram = null_clReleaseProgram;
    table->clBuildProgram = null_clBuildProgram;
    table->clUnloadCompiler = null_clUnloadCompiler;
    table->clUnloadPlatformCompiler = null_clUnloadPlatformCompiler;
    table->clGetProgramInfo = null_clGetProgramInfo;
    table->clGetProgramBuildInfo = null_clGetProgramBuildInfo;
    table->clCreateKernel = null_clCreateKernel;
    table->clRetainKernel = null_clRetainKernel;
    table->clReleaseKernel = null_clReleaseKernel;
    table->clSetKernelArg = null_clSetKernelArg;
    table->clGetKernelInfo = null_clGetKernelInfo;
    table->clGetKernelWorkGroupInfo = null_clGetKernelWorkGroupInfo;
}
