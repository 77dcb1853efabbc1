/* A page that the kernel zeroes in forked children (MADV_WIPEONFORK) answers with one load; where that is missing, the
 * process id is compared. */
#include "base/process.h"

#include "base/memory.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

static const volatile unsigned no_page; /* of marks that have none */

static volatile unsigned *map_page(size_t bytes)
{
#if defined(MADV_WIPEONFORK) && defined(MAP_ANONYMOUS)
    void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return NULL;
    if (madvise(page, bytes, MADV_WIPEONFORK) != 0) {
        (void)munmap(page, bytes);
        return NULL;
    }
    return page;
#else
    (void)bytes;
    return NULL;
#endif
}

wi_process_mark *wi_process_mark_create(void)
{
    wi_process_mark *mark = wi_calloc(1, sizeof *mark);
    const long page_bytes = sysconf(_SC_PAGESIZE);
    volatile unsigned *page = NULL;

    if (mark == NULL) return NULL;
    mark->pid = getpid();
    mark->page_bytes = page_bytes > 0 ? (size_t)page_bytes : 4096;
    page = map_page(mark->page_bytes);
    if (page == NULL) mark->page_bytes = 0;
    if (page != NULL) *page = 1;
    mark->page = page != NULL ? page : &no_page;
    return mark;
}

void wi_process_mark_destroy(wi_process_mark *mark)
{
    if (mark == NULL) return;
    if (mark->page_bytes != 0) (void)munmap((void *)(uintptr_t)mark->page, mark->page_bytes);
    wi_free(mark);
}
