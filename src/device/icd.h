/* Where the OpenCL loader looks for drivers, and what lies there. For reports only: nothing else reads these files. */
#ifndef WI_DEVICE_ICD_H
#define WI_DEVICE_ICD_H

#include <weir/text.h>

#include <stddef.h>

/* What was found. Counts are of entries: .icd files, or libraries named directly by a variable.
 * Invariants: missing + unreadable + failed + strange <= entries; failure is "" if and only if failed is 0. */
typedef struct wi_icd_survey {
    size_t entries;
    size_t missing;     /* their library is not where the dynamic linker looks */
    size_t unreadable;  /* the .icd file cannot be read or names nothing */
    size_t failed;      /* their library is there, but the dynamic linker could not load it */
    size_t strange;     /* their library was loaded, but it is no OpenCL driver */
    char failure[256];  /* what the dynamic linker says of the first that failed, cut to fit */
    char place[256];    /* the directory, file or library looked at, cut to fit */
    const char *origin; /* variable that named it, "" for the default place; static */
    int place_error;    /* errno of opening the directory or file, 0 if that worked */
} wi_icd_survey;

/** Looks at the place that the environment names, else at /etc/OpenCL/vendors, and opens the libraries named there: to be
 * called only after the loader of this process opened them.
 * details   a line an entry is appended; NULL: none */
void wi_icd_look(wi_icd_survey *out, weir_text *details);

/** 1 if a library is found: by its path, or by its name in LD_LIBRARY_PATH and the linker's directories. */
int wi_icd_library_exists(const char *library);

#endif
