/* Choosing a device from facts, and telling why.
 *
 * The choice is a pure function of records, live or from a text: needs reject, duplicates of one piece of hardware are
 * set aside, the rest is ranked by a sum of terms. Equal records, equal answer.
 */
#ifndef WEIR_SELECT_H
#define WEIR_SELECT_H

#include <weir/device.h>
#include <weir/property.h>
#include <weir/status.h>

#include <stddef.h>

WEIR_BEGIN_DECLS

/* A choice with its reasons. */
typedef struct weir_choice weir_choice;

/* What a device must be. Start from WEIR_CRITERIA_INIT; NULL means nothing was asked, "" is malformed. */
typedef struct weir_criteria {
    size_t struct_size;
    /* Separated by commas: fp64, fp16, full-profile, little-endian, images, address=64, min-mem=SIZE, min-alloc=SIZE,
     * min-local=SIZE (bytes, with K, M or G for powers of 1024), version=1.2, ext=NAME */
    const char *needs;
    const char *classes; /* names of classes, separated by commas; NULL: discrete, integrated, cpu, software */
    const char *pick;    /* a selector as weir_system_find() takes it */
} weir_criteria;

#define WEIR_CRITERIA_INIT                      \
    {                                           \
        sizeof(weir_criteria), NULL, NULL, NULL \
    }

/* What was found about one record. Strings belong to the choice. */
typedef struct weir_candidate {
    weir_device_class device_class;
    const char *class_why; /* in a few words */
    int is_eligible;       /* neither rejected nor a duplicate: it has a score */
    double score;          /* sum of weight * value over its terms */
    size_t term_count;
    const char *rejected; /* why not; NULL if it is eligible */
    size_t duplicate_of;  /* record that stands for the same hardware, SIZE_MAX if none */
} weir_candidate;

/* One part of a score. */
typedef struct weir_term {
    const char *name;
    double weight;
    double value;
    const char *meaning; /* in a few words; static */
} weir_term;

/** Chooses from records.
 *
 * Whatever is asked, a device that is not available, has no compiler or is big-endian is taken only by an index, pci or
 * uuid selector; accelerators and emulators only by class or by a selector other than type=. An absent property fails a
 * need and nothing else.
 * records    borrowed until weir_choice_destroy()
 * criteria   NULL: nothing is asked
 * out        owned by the caller; a choice without a chosen record is not an error
 * Thread: safe.
 * Errors: ARG (a malformed need, class or selector; the hint has what is known), HOST_MEMORY. */
WEIR_API WEIR_NODISCARD weir_status weir_select(const weir_record *const *records, size_t count,
                                                const weir_criteria *criteria, weir_choice **out);

/** Frees a choice. NULL is allowed. */
WEIR_API void weir_choice_destroy(weir_choice *choice);

/** Returns the index of the chosen record, SIZE_MAX if none was chosen. */
WEIR_API size_t weir_choice_get_chosen(const weir_choice *choice);

/** Returns one line on why: what the chosen device is and what comes next, or why there is none. */
WEIR_API const char *weir_choice_get_reason(const weir_choice *choice);

/** Reads what was found about record i; returns 0 outside 0 .. count - 1. */
WEIR_API int weir_choice_get_candidate(const weir_choice *choice, size_t i, weir_candidate *out);

/** Reads term t of record i; returns 0 if there is none. */
WEIR_API int weir_choice_get_term(const weir_choice *choice, size_t i, size_t t, weir_term *out);

/** Returns what looks wrong with the records, one line each; NULL past the last. */
WEIR_API const char *weir_choice_get_warning(const weir_choice *choice, size_t i);

WEIR_END_DECLS

#endif
