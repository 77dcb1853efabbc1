/* A program with OpenCL of its own: the header that weir.h leaves out, and a call of each library. */
#define CL_TARGET_OPENCL_VERSION 120
#include <weir/interop_cl.h>

#include <stdio.h>

int main(void)
{
    cl_uint count = 0;
    weir_context *context = NULL;

    (void)clGetPlatformIDs(0, NULL, &count); /* a machine without a driver is no failure here */
    if (weir_context_adopt(NULL, NULL, NULL, NULL, &context) != WEIR_E_ARG) return 1;
    if (weir_context_get_cl_context(context) != NULL) return 2;
    printf("interop in C: %u platforms\n", (unsigned)count);
    return 0;
}
