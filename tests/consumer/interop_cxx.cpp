// As interop.c, for users who write C++.
#define CL_TARGET_OPENCL_VERSION 120
#include <weir/interop_cl.h>

#include <iostream>

int main()
{
    cl_uint count = 0;
    weir_context *context = nullptr;
    weir_adopt_options options = WEIR_ADOPT_OPTIONS_INIT;

    (void)clGetPlatformIDs(0, nullptr, &count);
    if (weir_context_adopt(nullptr, nullptr, nullptr, &options, &context) != WEIR_E_ARG) return 1;
    if (weir_context_get_cl_context(context) != nullptr) return 2;
    std::cout << "interop in C++: " << count << " platforms\n";
    return 0;
}
