/* Sentences made from the numbers of the run at hand: which form held most, which least, and whether the bits agree;
 * what a tape kept of which operation; what capturing saved. A sentence whose forms did not run or did not finish is
 * left out. One thread. */
#include "loop_lesson.h"

#include "output.h"

#include <stdio.h>
#include <string.h>

/* Finds the finished forms of the same sum that held most and least; both NULL if none finished. */
static void find_extremes(const loop_report *report, const loop_result **most,
                          const loop_result **least)
{
    *most = NULL;
    *least = NULL;
    for (size_t i = 0; i < report->count; i++) {
        const loop_result *each = &report->results[i];

        if (each->status != WEIR_OK || each->form->is_other_sum) continue;
        if (*most == NULL || each->peak_in_use > (*most)->peak_in_use) *most = each;
        if (*least == NULL || each->peak_in_use < (*least)->peak_in_use) *least = each;
    }
}

static const loop_result *find_out_of_memory(const loop_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        if (report->results[i].status == WEIR_E_OUT_OF_MEMORY) return &report->results[i];
    }
    return NULL;
}

/* Returns the result of a form if it finished, or NULL. */
static const loop_result *find_finished(const loop_report *report, const char *name)
{
    for (size_t i = 0; i < report->count; i++) {
        const loop_result *each = &report->results[i];

        if (strcmp(each->form->name, name) == 0 && each->status == WEIR_OK) return each;
    }
    return NULL;
}

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

static void print_memory(const loop_report *report, const loop_result *most,
                         const loop_result *least)
{
    const loop_result *failed = find_out_of_memory(report);
    unsigned long long steps = report->plan->steps;
    char a[32];
    char b[32];

    (void)output_bytes(least->peak_in_use, b, sizeof b);
    if (failed != NULL) {
        (void)printf("%s ran out of memory at step %llu with %s in use, where %s does all %llu "
                     "steps in %s: what counts is who still holds the old states.\n",
                     failed->form->name, (unsigned long long)failed->steps_done + 1,
                     output_bytes(failed->peak_in_use, a, sizeof a), least->form->name, steps, b);
    } else if (most->peak_in_use > 4 * least->peak_in_use && most->form->holds[0] != '\0') {
        (void)printf("The same bits at %.0f times the memory: %s held %s in %llu blocks because "
                     "%s, %s needed %s in %llu for the same %llu steps.\n",
                     (double)most->peak_in_use / (double)least->peak_in_use, most->form->name,
                     output_bytes(most->peak_in_use, a, sizeof a),
                     (unsigned long long)most->peak_blocks, most->form->holds, least->form->name, b,
                     (unsigned long long)least->peak_blocks, steps);
    } else {
        (void)printf("%llu step%s never held more than %s in %llu block%s: %s.\n", steps,
                     plural(steps), output_bytes(most->peak_in_use, a, sizeof a),
                     (unsigned long long)most->peak_blocks, plural(most->peak_blocks),
                     most->form->holds[0] != '\0'
                         ? "memory grows with every step whose state somebody still holds"
                         : "memory does not grow with the steps where old states are let go");
    }
}

static void print_tape(const loop_report *report)
{
    const loop_result *flat = find_finished(report, "tape");
    const loop_result *bent = find_finished(report, "tape-tanh");
    char a[32];
    char b[32];

    if (flat == NULL || bent == NULL || bent->saved_bytes <= flat->saved_bytes) return;
    (void)printf("A tape keeps what its gradient needs: %s of the sums of tape, %s of tape-tanh, "
                 "where the gradient needs every tanh.\n",
                 output_bytes(flat->saved_bytes, a, sizeof a),
                 output_bytes(bent->saved_bytes, b, sizeof b));
}

static void print_function(const loop_report *report)
{
    const loop_result *eager = find_finished(report, "eager");
    const loop_result *function = find_finished(report, "function");
    char a[32];
    char b[32];

    if (eager == NULL || function == NULL || eager->timed_steps == 0 ||
        function->timed_steps == 0 || function->kernels_launched >= eager->kernels_launched)
        return;
    (void)printf("Captured, the loop is %llu launch%s instead of %llu: %s a step, eager %s.\n",
                 (unsigned long long)function->kernels_launched,
                 function->kernels_launched == 1 ? "" : "es",
                 (unsigned long long)eager->kernels_launched,
                 output_seconds(function->seconds / (double)function->timed_steps, a, sizeof a),
                 output_seconds(eager->seconds / (double)eager->timed_steps, b, sizeof b));
}

void loop_lesson_print(const loop_report *report)
{
    const loop_result *most = NULL;
    const loop_result *least = NULL;

    find_extremes(report, &most, &least);
    if (least == NULL) return;
    (void)printf("\n");
    if (!loop_report_agrees(report)) {
        (void)printf("The forms did not end in the same bits, though they drew the same numbers: "
                     "this device or its driver computes wrongly.\n");
        return;
    }
    print_memory(report, most, least);
    print_tape(report);
    print_function(report);
}
