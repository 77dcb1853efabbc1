/* Needs: what a program states that a device must have. */
#ifndef WI_DEVICE_NEED_H
#define WI_DEVICE_NEED_H

#include "device/record.h"

#define WI_NEEDS_MAX 32
#define WI_NEED_TEXT_BYTES 64

struct wi_need_kind;

/* One need with its value. */
typedef struct wi_need {
    const struct wi_need_kind *kind;
    uint64_t number;
    char text[WI_NEED_TEXT_BYTES]; /* as it was given, "min-mem=4G" */
} wi_need;

typedef struct wi_needs {
    wi_need list[WI_NEEDS_MAX];
    size_t count;
} wi_needs;

/** Reads needs separated by commas; NULL: none. Errors: ARG, with those that are known in the hint. */
weir_status wi_needs_parse(const char *text, wi_needs *out);

/** Returns 1 if a record meets a need, 0 if it does not, -1 if it does not say. */
int wi_need_is_met(const wi_need *need, const weir_record *record);

#endif
