/* Every property of a record: one row each.
 *
 * X(ID, "name", query, scope, kind, wire, version, "extension", names)
 *   query       the OpenCL constant. Written as a number: headers of OpenCL 1.2 lack the newer ones, and a record from
 *               a text may hold properties that the header of this build does not know
 *   scope       0: clGetDeviceInfo, 1: clGetPlatformInfo
 *   wire        how the driver lays the value out (wi_wire in record.h)
 *   version     asked of devices of this OpenCL version on (110 is 1.1), 0: the version does not matter
 *   extension   asked of devices that list it, "": none. A row with both is asked if either holds; a row with neither
 *               is never asked of a device: only texts say it
 *   names       table of bit or value names, NULL for other kinds
 */
#ifndef WI_DEVICE_PROPERTY_LIST_H
#define WI_DEVICE_PROPERTY_LIST_H

#define WI_AMD_QUERY "cl_amd_device_attribute_query"
#define WI_NV_QUERY "cl_nv_device_attribute_query"
#define WI_INTEL_QUERY "cl_intel_device_attribute_query"

/* clang-format off */
#define WI_PLATFORM_PROPERTY_LIST(X) \
    X(PLATFORM_PROFILE, "profile", 0x0900, 1, TEXT, TEXT, 100, "", NULL) \
    X(PLATFORM_VERSION, "version", 0x0901, 1, TEXT, TEXT, 100, "", NULL) \
    X(PLATFORM_NAME, "name", 0x0902, 1, TEXT, TEXT, 100, "", NULL) \
    X(PLATFORM_VENDOR, "vendor", 0x0903, 1, TEXT, TEXT, 100, "", NULL) \
    X(PLATFORM_EXTENSIONS, "extensions", 0x0904, 1, TEXT, TEXT, 100, "", NULL) \
    X(PLATFORM_HOST_TIMER_RESOLUTION, "host_timer_resolution", 0x0905, 1, NUMBER, NUMBER, 210, "", NULL) \
    X(PLATFORM_NUMERIC_VERSION, "numeric_version", 0x0906, 1, NUMBER, NUMBER, 300, "", NULL) \
    X(PLATFORM_ICD_SUFFIX_KHR, "icd_suffix_khr", 0x0920, 1, TEXT, TEXT, 0, "cl_khr_icd", NULL)

#define WI_DEVICE_PROPERTY_LIST(X) \
    X(NAME, "name", 0x102B, 0, TEXT, TEXT, 100, "", NULL) \
    X(VENDOR, "vendor", 0x102C, 0, TEXT, TEXT, 100, "", NULL) \
    X(VENDOR_ID, "vendor_id", 0x1001, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(VERSION, "version", 0x102F, 0, TEXT, TEXT, 100, "", NULL) \
    X(NUMERIC_VERSION, "numeric_version", 0x105E, 0, NUMBER, NUMBER, 300, "", NULL) \
    X(DRIVER_VERSION, "driver_version", 0x102D, 0, TEXT, TEXT, 100, "", NULL) \
    X(OPENCL_C_VERSION, "opencl_c_version", 0x103D, 0, TEXT, TEXT, 110, "", NULL) \
    X(IL_VERSION, "il_version", 0x105B, 0, TEXT, TEXT, 210, "cl_khr_il_program", NULL) \
    X(SPIR_VERSIONS, "spir_versions", 0x40E0, 0, TEXT, TEXT, 0, "cl_khr_spir", NULL) \
    X(LATEST_CONFORMANCE_VERSION_PASSED, "latest_conformance_version_passed", 0x1072, 0, TEXT, TEXT, 300, "", NULL) \
    X(BOARD_NAME_AMD, "board_name_amd", 0x4038, 0, TEXT, TEXT, 0, WI_AMD_QUERY, NULL) \
    X(TYPE, "type", 0x1000, 0, FLAGS, FLAGS, 100, "", names_type) \
    X(PROFILE, "profile", 0x102E, 0, TEXT, TEXT, 100, "", NULL) \
    X(AVAILABLE, "available", 0x1027, 0, BOOL, BOOL, 100, "", NULL) \
    X(COMPILER_AVAILABLE, "compiler_available", 0x1028, 0, BOOL, BOOL, 100, "", NULL) \
    X(LINKER_AVAILABLE, "linker_available", 0x103E, 0, BOOL, BOOL, 120, "", NULL) \
    X(ENDIAN_LITTLE, "endian_little", 0x1026, 0, BOOL, BOOL, 100, "", NULL) \
    X(ADDRESS_BITS, "address_bits", 0x100D, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(EXTENSIONS, "extensions", 0x1030, 0, TEXT, TEXT, 100, "", NULL) \
    X(BUILT_IN_KERNELS, "built_in_kernels", 0x103F, 0, TEXT, TEXT, 120, "", NULL) \
    X(EXECUTION_CAPABILITIES, "execution_capabilities", 0x1029, 0, FLAGS, FLAGS, 100, "", names_execution) \
    X(QUEUE_PROPERTIES, "queue_properties", 0x102A, 0, FLAGS, FLAGS, 100, "", names_queue) \
    X(QUEUE_ON_DEVICE_PROPERTIES, "queue_on_device_properties", 0x104E, 0, FLAGS, FLAGS, 200, "", names_queue) \
    X(DEVICE_ENQUEUE_CAPABILITIES, "device_enqueue_capabilities", 0x1070, 0, FLAGS, FLAGS, 300, "", names_enqueue) \
    X(MAX_COMPUTE_UNITS, "max_compute_units", 0x1002, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(MAX_CLOCK_FREQUENCY, "max_clock_frequency", 0x100C, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(MAX_WORK_ITEM_DIMENSIONS, "max_work_item_dimensions", 0x1003, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(MAX_WORK_ITEM_SIZES, "max_work_item_sizes", 0x1005, 0, NUMBERS, SIZES, 100, "", NULL) \
    X(MAX_WORK_GROUP_SIZE, "max_work_group_size", 0x1004, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(PREFERRED_WORK_GROUP_SIZE_MULTIPLE, "preferred_work_group_size_multiple", 0x1067, 0, NUMBER, NUMBER, 300, "", NULL) \
    X(KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, "kernel_preferred_work_group_size_multiple", 0x11B3, 0, NUMBER, NUMBER, 0, "", NULL) \
    X(BUILD_LOG, "build_log", 0x1183, 0, TEXT, TEXT, 0, "", NULL) \
    X(MAX_NUM_SUB_GROUPS, "max_num_sub_groups", 0x105C, 0, NUMBER, NUMBER, 210, "", NULL) \
    X(NON_UNIFORM_WORK_GROUP_SUPPORT, "non_uniform_work_group_support", 0x1065, 0, BOOL, BOOL, 300, "", NULL) \
    X(PREFERRED_VECTOR_WIDTH_CHAR, "preferred_vector_width_char", 0x1006, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(PREFERRED_VECTOR_WIDTH_SHORT, "preferred_vector_width_short", 0x1007, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(PREFERRED_VECTOR_WIDTH_INT, "preferred_vector_width_int", 0x1008, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(PREFERRED_VECTOR_WIDTH_LONG, "preferred_vector_width_long", 0x1009, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(PREFERRED_VECTOR_WIDTH_HALF, "preferred_vector_width_half", 0x1034, 0, NUMBER, NUMBER, 110, "", NULL) \
    X(PREFERRED_VECTOR_WIDTH_FLOAT, "preferred_vector_width_float", 0x100A, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(PREFERRED_VECTOR_WIDTH_DOUBLE, "preferred_vector_width_double", 0x100B, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(NATIVE_VECTOR_WIDTH_CHAR, "native_vector_width_char", 0x1036, 0, NUMBER, NUMBER, 110, "", NULL) \
    X(NATIVE_VECTOR_WIDTH_SHORT, "native_vector_width_short", 0x1037, 0, NUMBER, NUMBER, 110, "", NULL) \
    X(NATIVE_VECTOR_WIDTH_INT, "native_vector_width_int", 0x1038, 0, NUMBER, NUMBER, 110, "", NULL) \
    X(NATIVE_VECTOR_WIDTH_LONG, "native_vector_width_long", 0x1039, 0, NUMBER, NUMBER, 110, "", NULL) \
    X(NATIVE_VECTOR_WIDTH_HALF, "native_vector_width_half", 0x103C, 0, NUMBER, NUMBER, 110, "", NULL) \
    X(NATIVE_VECTOR_WIDTH_FLOAT, "native_vector_width_float", 0x103A, 0, NUMBER, NUMBER, 110, "", NULL) \
    X(NATIVE_VECTOR_WIDTH_DOUBLE, "native_vector_width_double", 0x103B, 0, NUMBER, NUMBER, 110, "", NULL) \
    X(HALF_FP_CONFIG, "half_fp_config", 0x1033, 0, FLAGS, FP_CONFIG, 0, "cl_khr_fp16", names_fp) \
    X(SINGLE_FP_CONFIG, "single_fp_config", 0x101B, 0, FLAGS, FLAGS, 100, "", names_fp) \
    X(DOUBLE_FP_CONFIG, "double_fp_config", 0x1032, 0, FLAGS, FP_CONFIG, 120, "cl_khr_fp64", names_fp) \
    X(GLOBAL_MEM_SIZE, "global_mem_size", 0x101F, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(MAX_MEM_ALLOC_SIZE, "max_mem_alloc_size", 0x1010, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(GLOBAL_FREE_MEMORY_AMD, "global_free_memory_amd", 0x4039, 0, NUMBERS, SIZES, 0, WI_AMD_QUERY, NULL) \
    X(HOST_UNIFIED_MEMORY, "host_unified_memory", 0x1035, 0, BOOL, BOOL, 110, "", NULL) \
    X(INTEGRATED_MEMORY_NV, "integrated_memory_nv", 0x4006, 0, BOOL, BOOL, 0, WI_NV_QUERY, NULL) \
    X(ERROR_CORRECTION_SUPPORT, "error_correction_support", 0x1024, 0, BOOL, BOOL, 100, "", NULL) \
    X(MEM_BASE_ADDR_ALIGN, "mem_base_addr_align", 0x1019, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(MIN_DATA_TYPE_ALIGN_SIZE, "min_data_type_align_size", 0x101A, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(GLOBAL_MEM_CACHE_TYPE, "global_mem_cache_type", 0x101C, 0, TEXT, CHOICE, 100, "", names_cache) \
    X(GLOBAL_MEM_CACHE_SIZE, "global_mem_cache_size", 0x101E, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(GLOBAL_MEM_CACHELINE_SIZE, "global_mem_cacheline_size", 0x101D, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(LOCAL_MEM_TYPE, "local_mem_type", 0x1022, 0, TEXT, CHOICE, 100, "", names_local) \
    X(LOCAL_MEM_SIZE, "local_mem_size", 0x1023, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(MAX_CONSTANT_BUFFER_SIZE, "max_constant_buffer_size", 0x1020, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(MAX_CONSTANT_ARGS, "max_constant_args", 0x1021, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(MAX_PARAMETER_SIZE, "max_parameter_size", 0x1017, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(MAX_GLOBAL_VARIABLE_SIZE, "max_global_variable_size", 0x104D, 0, NUMBER, NUMBER, 200, "", NULL) \
    X(GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, "global_variable_preferred_total_size", 0x1054, 0, NUMBER, NUMBER, 200, "", NULL) \
    X(SVM_CAPABILITIES, "svm_capabilities", 0x1053, 0, FLAGS, FLAGS, 200, "", names_svm) \
    X(ATOMIC_MEMORY_CAPABILITIES, "atomic_memory_capabilities", 0x1063, 0, FLAGS, FLAGS, 300, "", names_atomic) \
    X(ATOMIC_FENCE_CAPABILITIES, "atomic_fence_capabilities", 0x1064, 0, FLAGS, FLAGS, 300, "", names_atomic) \
    X(GENERIC_ADDRESS_SPACE_SUPPORT, "generic_address_space_support", 0x1069, 0, BOOL, BOOL, 300, "", NULL) \
    X(IMAGE_SUPPORT, "image_support", 0x1016, 0, BOOL, BOOL, 100, "", NULL) \
    X(MAX_READ_IMAGE_ARGS, "max_read_image_args", 0x100E, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(MAX_WRITE_IMAGE_ARGS, "max_write_image_args", 0x100F, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(IMAGE2D_MAX_WIDTH, "image2d_max_width", 0x1011, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(IMAGE2D_MAX_HEIGHT, "image2d_max_height", 0x1012, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(IMAGE3D_MAX_WIDTH, "image3d_max_width", 0x1013, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(IMAGE3D_MAX_HEIGHT, "image3d_max_height", 0x1014, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(IMAGE3D_MAX_DEPTH, "image3d_max_depth", 0x1015, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(IMAGE_MAX_BUFFER_SIZE, "image_max_buffer_size", 0x1040, 0, NUMBER, NUMBER, 120, "", NULL) \
    X(IMAGE_MAX_ARRAY_SIZE, "image_max_array_size", 0x1041, 0, NUMBER, NUMBER, 120, "", NULL) \
    X(MAX_SAMPLERS, "max_samplers", 0x1018, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(PRINTF_BUFFER_SIZE, "printf_buffer_size", 0x1049, 0, NUMBER, NUMBER, 120, "", NULL) \
    X(PROFILING_TIMER_RESOLUTION, "profiling_timer_resolution", 0x1025, 0, NUMBER, NUMBER, 100, "", NULL) \
    X(PREFERRED_INTEROP_USER_SYNC, "preferred_interop_user_sync", 0x1048, 0, BOOL, BOOL, 120, "", NULL) \
    X(PARTITION_MAX_SUB_DEVICES, "partition_max_sub_devices", 0x1043, 0, NUMBER, NUMBER, 120, "", NULL) \
    X(PARTITION_AFFINITY_DOMAIN, "partition_affinity_domain", 0x1045, 0, FLAGS, FLAGS, 120, "", names_affinity) \
    X(PCI_BUS_INFO_KHR, "pci_bus_info_khr", 0x410F, 0, NUMBERS, WORDS, 0, "cl_khr_pci_bus_info", NULL) \
    X(PCI_BUS_ID_NV, "pci_bus_id_nv", 0x4008, 0, NUMBER, NUMBER, 0, WI_NV_QUERY, NULL) \
    X(PCI_SLOT_ID_NV, "pci_slot_id_nv", 0x4009, 0, NUMBER, NUMBER, 0, WI_NV_QUERY, NULL) \
    X(PCI_DOMAIN_ID_NV, "pci_domain_id_nv", 0x400A, 0, NUMBER, NUMBER, 0, WI_NV_QUERY, NULL) \
    X(TOPOLOGY_AMD, "topology_amd", 0x4037, 0, NUMBERS, TOPOLOGY, 0, WI_AMD_QUERY, NULL) \
    X(UUID_KHR, "uuid_khr", 0x106A, 0, TEXT, UUID, 0, "cl_khr_device_uuid", NULL) \
    X(DRIVER_UUID_KHR, "driver_uuid_khr", 0x106B, 0, TEXT, UUID, 0, "cl_khr_device_uuid", NULL) \
    X(LUID_VALID_KHR, "luid_valid_khr", 0x106C, 0, BOOL, BOOL, 0, "cl_khr_device_uuid", NULL) \
    X(LUID_KHR, "luid_khr", 0x106D, 0, TEXT, UUID, 0, "cl_khr_device_uuid", NULL) \
    X(KERNEL_EXEC_TIMEOUT_NV, "kernel_exec_timeout_nv", 0x4005, 0, BOOL, BOOL, 0, WI_NV_QUERY, NULL) \
    X(COMPUTE_CAPABILITY_MAJOR_NV, "compute_capability_major_nv", 0x4000, 0, NUMBER, NUMBER, 0, WI_NV_QUERY, NULL) \
    X(COMPUTE_CAPABILITY_MINOR_NV, "compute_capability_minor_nv", 0x4001, 0, NUMBER, NUMBER, 0, WI_NV_QUERY, NULL) \
    X(WARP_SIZE_NV, "warp_size_nv", 0x4003, 0, NUMBER, NUMBER, 0, WI_NV_QUERY, NULL) \
    X(GFXIP_MAJOR_AMD, "gfxip_major_amd", 0x404A, 0, NUMBER, NUMBER, 0, WI_AMD_QUERY, NULL) \
    X(GFXIP_MINOR_AMD, "gfxip_minor_amd", 0x404B, 0, NUMBER, NUMBER, 0, WI_AMD_QUERY, NULL) \
    X(WAVEFRONT_WIDTH_AMD, "wavefront_width_amd", 0x4043, 0, NUMBER, NUMBER, 0, WI_AMD_QUERY, NULL) \
    X(SIMD_PER_COMPUTE_UNIT_AMD, "simd_per_compute_unit_amd", 0x4040, 0, NUMBER, NUMBER, 0, WI_AMD_QUERY, NULL) \
    X(IP_VERSION_INTEL, "ip_version_intel", 0x4250, 0, NUMBER, NUMBER, 0, WI_INTEL_QUERY, NULL) \
    X(ID_INTEL, "id_intel", 0x4251, 0, NUMBER, NUMBER, 0, WI_INTEL_QUERY, NULL)

#define WI_PROPERTY_LIST(X) WI_PLATFORM_PROPERTY_LIST(X) WI_DEVICE_PROPERTY_LIST(X)
/* clang-format on */

#endif
