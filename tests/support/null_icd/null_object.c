/* Objects of the null ICD: counted by the application (owners) and by each other (holders), as real drivers do, so
 * that a buffer outlives its context's last reference and a leaked event is seen to keep its queue.
 *
 * Live objects are those with owners; they are counted by kind. Counters are atomic, no lock is taken.
 */
#include "null_icd.h"

#include <stdlib.h>
#include <string.h>

static _Atomic uint64_t live[NULL_KIND_COUNT];

static const char *const kind_names[NULL_KIND_COUNT] = {
#define NULL_KIND_NAME(KIND, Text, Code) Text,
    NULL_KIND_LIST(NULL_KIND_NAME)
#undef NULL_KIND_NAME
};

static const cl_int kind_codes[NULL_KIND_COUNT] = {
#define NULL_KIND_CODE(KIND, Text, Code) Code,
    NULL_KIND_LIST(NULL_KIND_CODE)
#undef NULL_KIND_CODE
};

static void drop_holder(null_object *object)
{
    while (object != NULL && atomic_fetch_sub(&object->holders, 1) == 1) {
        null_object *parent = object->parent;
        if (object->dispose != NULL) object->dispose(object);
        object->mark = 0;
        free(object);
        object = parent;
    }
}

void *null_object_create(null_kind kind, size_t bytes, null_object *parent, void (*dispose)(void *))
{
    null_object *object = calloc(1, bytes);

    if (object == NULL) return NULL;
    object->dispatch = &null_table;
    object->mark = NULL_MARK;
    object->kind = kind;
    object->parent = parent;
    object->dispose = dispose;
    atomic_init(&object->owners, 1);
    atomic_init(&object->holders, 1);
    if (parent != NULL) atomic_fetch_add(&parent->holders, 1);
    atomic_fetch_add_explicit(&live[kind], 1, memory_order_relaxed);
    return object;
}

int null_object_is(const void *object, null_kind kind)
{
    const null_object *head = object;

    return head != NULL && head->mark == NULL_MARK && head->kind == kind;
}

cl_int null_kind_code(null_kind kind) { return kind_codes[kind]; }

cl_int null_object_retain(void *object, null_kind kind)
{
    null_object *head = object;

    if (!null_object_is(object, kind)) return kind_codes[kind];
    if (atomic_load(&head->owners) == 0) return kind_codes[kind];
    atomic_fetch_add(&head->owners, 1);
    return CL_SUCCESS;
}

cl_int null_object_release(void *object, null_kind kind)
{
    null_object *head = object;

    if (!null_object_is(object, kind)) return kind_codes[kind];
    if (atomic_load(&head->owners) == 0) return kind_codes[kind];
    if (atomic_fetch_sub(&head->owners, 1) != 1) return CL_SUCCESS;
    atomic_fetch_sub_explicit(&live[kind], 1, memory_order_relaxed);
    drop_holder(head);
    return CL_SUCCESS;
}

cl_uint null_object_get_owners(const void *object)
{
    const null_object *head = object;

    return atomic_load(&head->owners);
}

uint64_t null_live_get(const char *kind)
{
    uint64_t sum = 0;
    int is_known = kind == NULL;

    for (unsigned i = 0; i < NULL_KIND_COUNT; i++) {
        if (kind != NULL && strcmp(kind, kind_names[i]) != 0) continue;
        is_known = 1;
        sum += atomic_load(&live[i]);
    }
    return is_known ? sum : UINT64_MAX;
}
