# Install rules, in two components: runtime (the shared library) and dev (headers, packages, the static library).
include(CMakePackageConfigHelpers)

set(WEIR_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/weir")

install(TARGETS weir EXPORT weirTargets
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT runtime
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT dev
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/weir" "${WEIR_GENERATED_INCLUDE}/weir"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev FILES_MATCHING PATTERN "*.h")
install(EXPORT weirTargets NAMESPACE weir:: DESTINATION "${WEIR_CMAKE_DIR}" COMPONENT dev)

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/weir-config.cmake.in"
    "${PROJECT_BINARY_DIR}/weir-config.cmake" INSTALL_DESTINATION "${WEIR_CMAKE_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/weir-config-version.cmake"
    COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/weir-config.cmake" "${PROJECT_BINARY_DIR}/weir-config-version.cmake"
    DESTINATION "${WEIR_CMAKE_DIR}" COMPONENT dev)

# weir.pc finds its prefix from its own place, so that `cmake --install --prefix` is enough to move it; an absolute
# libdir says nothing about the prefix, and cmake_path(APPEND) keeps absolute folders as they are.
set(WEIR_PC_DIR "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(WEIR_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
    file(RELATIVE_PATH up "/${WEIR_PC_DIR}" "/")
    cmake_path(SET up NORMALIZE "${up}")
    string(REGEX REPLACE "/$" "" up "${up}")
    set(WEIR_PC_PREFIX "\${pcfiledir}/${up}")
endif()
cmake_path(APPEND WEIR_PC_LIBDIR "\${prefix}" "${CMAKE_INSTALL_LIBDIR}")
cmake_path(APPEND WEIR_PC_INCLUDEDIR "\${prefix}" "${CMAKE_INSTALL_INCLUDEDIR}")
set(WEIR_PC_LIBS "-lm ${CMAKE_THREAD_LIBS_INIT}")
if(BUILD_SHARED_LIBS)
    set(WEIR_PC_DEFINE "")
    set(WEIR_PC_PUBLIC "")
    set(WEIR_PC_PRIVATE "${WEIR_PC_LIBS}")
else()
    set(WEIR_PC_DEFINE " -DWEIR_STATIC")
    set(WEIR_PC_PUBLIC " ${WEIR_PC_LIBS}")
    set(WEIR_PC_PRIVATE "")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/weir.pc.in" "${PROJECT_BINARY_DIR}/weir.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/weir.pc" DESTINATION "${WEIR_PC_DIR}" COMPONENT dev)

if(TARGET weir_records)
    install(TARGETS weir_records EXPORT weirTargets
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT runtime
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT dev
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev)
    set(WEIR_PC_RECORDS_PUBLIC "")
    set(WEIR_PC_RECORDS_PRIVATE "jansson")
    if(NOT BUILD_SHARED_LIBS)
        set(WEIR_PC_RECORDS_PUBLIC ", jansson")
        set(WEIR_PC_RECORDS_PRIVATE "")
    endif()
    configure_file("${PROJECT_SOURCE_DIR}/cmake/weir-records.pc.in"
        "${PROJECT_BINARY_DIR}/weir-records.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/weir-records.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
endif()
