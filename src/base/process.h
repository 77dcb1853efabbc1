/* Telling a forked child from the process that made an object, without a system call a time.
 *
 * OpenCL objects are of no use in a forked child, and drivers hang or crash there, so calls refuse with FORKED.
 */
#ifndef WI_BASE_PROCESS_H
#define WI_BASE_PROCESS_H

#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

/* Invariants: page_bytes == 0 and *page == 0, or *page is 1 in the process `pid` and 0 in its children. */
typedef struct wi_process_mark {
    const volatile unsigned *page;
    size_t page_bytes;
    pid_t pid;
} wi_process_mark;

/** Marks the calling process; NULL if there is no memory. */
wi_process_mark *wi_process_mark_create(void);

/** NULL is allowed. */
void wi_process_mark_destroy(wi_process_mark *mark);

/** 1 in the process that made the mark, 0 in a process forked from it. Thread: safe. */
static inline int wi_process_is_marked(const wi_process_mark *mark)
{
    return *mark->page == 1 || (mark->page_bytes == 0 && getpid() == mark->pid);
}

#endif
