# Stands for the package config of the Khronos loader, which Debian does not ship: the same target name around the
# system's loader, and a definition by which a program sees that it came this way.
find_library(STUB_OPENCL_LIBRARY NAMES OpenCL REQUIRED)
find_path(STUB_OPENCL_INCLUDE_DIR NAMES CL/cl.h REQUIRED)
if(NOT TARGET OpenCL::OpenCL)
    add_library(OpenCL::OpenCL UNKNOWN IMPORTED)
    set_target_properties(OpenCL::OpenCL PROPERTIES
        IMPORTED_LOCATION "${STUB_OPENCL_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${STUB_OPENCL_INCLUDE_DIR}")
endif()
message(STATUS "stub ICD loader config used")
