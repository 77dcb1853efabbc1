/* The table of properties and the names of their bits and values.
 *
 * One X-macro (property_list.h) makes identifiers, rows and everything that walks over a record, so a property is one
 * line. Nothing here changes: no locking. libweir_records holds a copy of this file.
 */
#include "device/record.h"

#include <string.h>

static const wi_name names_type[] = {{1U << 0, "default"}, {1U << 1, "cpu"},
                                     {1U << 2, "gpu"},     {1U << 3, "accelerator"},
                                     {1U << 4, "custom"},  {0, NULL}};

static const wi_name names_execution[] = {
    {1U << 0, "kernel"}, {1U << 1, "native_kernel"}, {0, NULL}};

static const wi_name names_queue[] = {{1U << 0, "out_of_order_exec_mode"},
                                      {1U << 1, "profiling"},
                                      {1U << 2, "on_device"},
                                      {1U << 3, "on_device_default"},
                                      {0, NULL}};

static const wi_name names_enqueue[] = {
    {1U << 0, "supported"}, {1U << 1, "replaceable_default"}, {0, NULL}};

static const wi_name names_fp[] = {{1U << 0, "denorm"},
                                   {1U << 1, "inf_nan"},
                                   {1U << 2, "round_to_nearest"},
                                   {1U << 3, "round_to_zero"},
                                   {1U << 4, "round_to_inf"},
                                   {1U << 5, "fma"},
                                   {1U << 6, "soft_float"},
                                   {1U << 7, "correctly_rounded_divide_sqrt"},
                                   {0, NULL}};

static const wi_name names_cache[] = {
    {0, "none"}, {1, "read_only_cache"}, {2, "read_write_cache"}, {0, NULL}};

static const wi_name names_local[] = {{0, "none"}, {1, "local"}, {2, "global"}, {0, NULL}};

static const wi_name names_svm[] = {{1U << 0, "coarse_grain_buffer"},
                                    {1U << 1, "fine_grain_buffer"},
                                    {1U << 2, "fine_grain_system"},
                                    {1U << 3, "atomics"},
                                    {0, NULL}};

static const wi_name names_atomic[] = {{1U << 0, "order_relaxed"},     {1U << 1, "order_acq_rel"},
                                       {1U << 2, "order_seq_cst"},     {1U << 3, "scope_work_item"},
                                       {1U << 4, "scope_work_group"},  {1U << 5, "scope_device"},
                                       {1U << 6, "scope_all_devices"}, {0, NULL}};

static const wi_name names_affinity[] = {{1U << 0, "numa"},
                                         {1U << 1, "l4_cache"},
                                         {1U << 2, "l3_cache"},
                                         {1U << 3, "l2_cache"},
                                         {1U << 4, "l1_cache"},
                                         {1U << 5, "next_partitionable"},
                                         {0, NULL}};

static const wi_property_row rows[] = {
#define WI_PROPERTY_ROW(Id, Name, Query, Scope, Kind, Wire, Version, Extension, Names) \
    {Name, Query, Scope, WEIR_PROPERTY_##Kind, WI_WIRE_##Wire, Version, Extension, Names},
    WI_PROPERTY_LIST(WI_PROPERTY_ROW)
#undef WI_PROPERTY_ROW
};

const wi_property_row *wi_property_row_at(size_t id) { return &rows[id]; }

size_t wi_property_find(const char *name)
{
    static const char prefix[] = "platform.";
    int is_platform = 0;

    if (name == NULL) return WI_PROPERTY_COUNT;
    if (strncmp(name, prefix, sizeof prefix - 1) == 0) {
        is_platform = 1;
        name += sizeof prefix - 1;
    }
    for (size_t id = 0; id < WI_PROPERTY_COUNT; id++)
        if (rows[id].is_platform == is_platform && strcmp(rows[id].name, name) == 0) return id;
    return WI_PROPERTY_COUNT;
}

const char *wi_name_of(const wi_name *names, uint64_t value)
{
    for (; names != NULL && names->name != NULL; names++)
        if (names->value == value) return names->name;
    return NULL;
}
