# Finds the OpenCL loader as target OpenCL::OpenCL: by the Khronos loader's own package config where it is installed,
# else by CMake's FindOpenCL (Debian ships no config file). WEIR_OPENCL_PACKAGE is the package that was found, for
# weir-config.cmake to ask for the same one.
find_package(OpenCLHeaders CONFIG QUIET)
find_package(OpenCLICDLoader CONFIG QUIET)
if(TARGET OpenCL::OpenCL)
    set(WEIR_OPENCL_PACKAGE OpenCLICDLoader)
else()
    set(WEIR_OPENCL_PACKAGE OpenCL)
    find_package(OpenCL REQUIRED)
endif()
message(STATUS "OpenCL loader by ${WEIR_OPENCL_PACKAGE}")
