/* Element types of tensors. */
#ifndef WEIR_DTYPE_H
#define WEIR_DTYPE_H

#include <weir/export.h>

#include <stddef.h>

WEIR_BEGIN_DECLS

/* X(NAME, value, lower-case name, bytes of one element) */
#define WEIR_DTYPE_LIST(X) \
    X(F32, 1, "f32", 4)    \
    X(F64, 2, "f64", 8)    \
    X(F16, 3, "f16", 2)    \
    X(BF16, 4, "bf16", 2)  \
    X(I8, 5, "i8", 1)      \
    X(U8, 6, "u8", 1)      \
    X(I32, 7, "i32", 4)    \
    X(U32, 8, "u32", 4)    \
    X(I64, 9, "i64", 8)    \
    X(U64, 10, "u64", 8)

typedef enum weir_dtype {
    WEIR_DTYPE_NONE = 0,
#define WEIR_DTYPE_ENUM(NAME, Value, Lower, Bytes) WEIR_DTYPE_##NAME = (Value),
    WEIR_DTYPE_LIST(WEIR_DTYPE_ENUM)
#undef WEIR_DTYPE_ENUM
} weir_dtype;

/** Returns "f32", "i64", ...; "none" for a value outside the list. Thread: safe. The string is static. */
WEIR_API const char *weir_dtype_name(weir_dtype dtype);

/** Returns the bytes of one element, 0 for a value outside the list. Thread: safe. */
WEIR_API size_t weir_dtype_bytes(weir_dtype dtype);

WEIR_END_DECLS

#endif
