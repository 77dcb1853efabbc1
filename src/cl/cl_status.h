/* OpenCL codes: name, text, and the weir status each one means. */
#ifndef WI_CL_STATUS_H
#define WI_CL_STATUS_H

#include "cl/opencl.h"

#include <weir/status.h>

/** "CL_OUT_OF_RESOURCES", ...; "CL_UNKNOWN" outside the list. */
const char *wi_cl_status_name(cl_int code);

/** One sentence on what the code usually means. */
const char *wi_cl_status_text(cl_int code);

/** OUT_OF_MEMORY for CL_MEM_OBJECT_ALLOCATION_FAILURE, HOST_MEMORY, BUILD, ...; DRIVER for the rest. */
weir_status wi_cl_status_map(cl_int code);

/** 1 if a call that takes device memory says with this code that there is none: besides the code for it, drivers use
 * CL_OUT_OF_RESOURCES, and CL_INVALID_BUFFER_SIZE for a size over what the device allows. */
int wi_cl_is_allocation_failure(cl_int code);

/** Records "CALL: CODE_NAME (-n): message" with the code, returns the mapped status. */
weir_status wi_cl_fail(cl_int code, const char *call, const char *format, ...) WEIR_PRINTF(3, 4);

#endif
