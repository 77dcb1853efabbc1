/* The drivers that the OpenCL loader is told of, to be tried one by one. */
#ifndef WEIR_TOOLS_ICD_LIST_H
#define WEIR_TOOLS_ICD_LIST_H

#include <stddef.h>

typedef enum icd_kind {
    ICD_FILE,    /* an .icd file */
    ICD_LIBRARY, /* a library that OCL_ICD_VENDORS names */
    ICD_ADDED    /* a library of OCL_ICD_FILENAMES */
} icd_kind;

typedef struct icd_entry {
    char *path;
    icd_kind kind;
    int is_used; /* set by whoever chooses among the entries */
} icd_entry;

/* Invariants: entries has `count` entries, each with a path. */
typedef struct icd_list {
    icd_entry *entries;
    size_t count;
} icd_list;

/* What the loader was told before icd_folder_use(), and the folder made for it. Zeroed: nothing was changed. */
typedef struct icd_folder {
    char *path; /* NULL: none */
    char *vendors;
    char *filenames;
    int is_changed;
} icd_folder;

/** Lists the entries of the place that the environment names, else of /etc/OpenCL/vendors, files by name.
 * out   icd_list_dispose() in any case
 * Returns 1, or 0 for want of host memory. */
int icd_list_read(icd_list *out);

void icd_list_dispose(icd_list *list);

/** Tells the loader, by OCL_ICD_VENDORS and OCL_ICD_FILENAMES, of the used entries only, through a new folder with links
 * to their files. Works until the process first calls OpenCL, and for the programs it starts.
 * Returns 1, or 0 and errno. */
int icd_folder_use(icd_folder *folder, const icd_list *list);

/** Copies a text with the place that the folder stands for instead of its name: it is gone when people read of it.
 * Returns memory from malloc(), NULL if there is none. */
char *icd_folder_hide(const icd_folder *folder, const char *text);

/** Gives both variables back what they had; the folder stays for programs that were started. */
void icd_folder_leave(icd_folder *folder);

/** Removes the folder and gives both variables back what they had. */
void icd_folder_restore(icd_folder *folder);

#endif
