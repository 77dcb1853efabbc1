/* Marks that tell a forked child from its parent. */
#include "base/process.h"

#include <criterion/criterion.h>
#include <sys/wait.h>
#include <unistd.h>

Test(process, a_mark_holds_in_its_process_and_not_in_a_forked_child, .timeout = 120)
{
    wi_process_mark *mark = wi_process_mark_create();
    int result = 0;
    pid_t child = 0;

    cr_assert_not_null(mark);
    cr_assert(wi_process_is_marked(mark));
    child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) _exit(wi_process_is_marked(mark) ? 1 : 0);
    cr_assert_eq(waitpid(child, &result, 0), child);
    cr_assert(WIFEXITED(result) && WEXITSTATUS(result) == 0, "the child thought it was its parent");
    cr_assert(wi_process_is_marked(mark));
    wi_process_mark_destroy(mark);
    wi_process_mark_destroy(NULL);
}
