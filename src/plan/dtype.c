/* Element types: names and sizes from the list in weir/dtype.h.
 *
 * Values outside the list are answered, not refused: they reach these functions from files and from callers.
 * No state, no lock.
 */
#include <weir/dtype.h>

const char *weir_dtype_name(weir_dtype dtype)
{
    switch (dtype) {
#define DTYPE_NAME(NAME, Value, Lower, Bytes) \
    case WEIR_DTYPE_##NAME:                   \
        return Lower;
        WEIR_DTYPE_LIST(DTYPE_NAME)
#undef DTYPE_NAME
    case WEIR_DTYPE_NONE:
        break;
    }
    return "none";
}

size_t weir_dtype_bytes(weir_dtype dtype)
{
    switch (dtype) {
#define DTYPE_BYTES(NAME, Value, Lower, Bytes) \
    case WEIR_DTYPE_##NAME:                    \
        return Bytes;
        WEIR_DTYPE_LIST(DTYPE_BYTES)
#undef DTYPE_BYTES
    case WEIR_DTYPE_NONE:
        break;
    }
    return 0;
}
