/* A choice while it is made: a row for each record, and what is told of it. */
#ifndef WI_DEVICE_CHOICE_H
#define WI_DEVICE_CHOICE_H

#include "device/rank.h"

#include <weir/select.h>

#define WI_REJECTED_BYTES 160
#define WI_REASON_BYTES 900

/* What was found about one record. */
typedef struct wi_candidate {
    weir_device_class device_class;
    const char *class_why;
    int is_eligible;
    int is_unsound;
    double score;
    double values[WI_TERMS];
    size_t duplicate_of;
    char rejected[WI_REJECTED_BYTES]; /* "" if eligible */
} wi_candidate;

/* Invariants: chosen is SIZE_MAX or the eligible candidate of the highest score, the first of several; a candidate is
 * eligible if and only if rejected is ""; duplicate_of is SIZE_MAX or another candidate's number. */
struct weir_choice {
    const weir_record *const *records;
    wi_candidate *candidates;
    size_t count;
    size_t chosen;
    char **warnings;
    size_t warning_count;
    char reason[WI_REASON_BYTES];
};

/** Writes the warnings and the reason of a choice whose rows and chosen record are final. Errors: HOST_MEMORY. */
weir_status wi_choice_tell(weir_choice *choice);

#endif
