/* The OpenCL headers, at the version weir is written to. Only this file includes them in the library. */
#ifndef WI_CL_OPENCL_H
#define WI_CL_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#endif
