/* A choice: what it tells of its candidates in words, and how it is read. Reading needs no lock. */
#include "device/choice.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WARNING_BYTES 320

static weir_status warn(weir_choice *choice, const char *format, ...) WEIR_PRINTF(2, 3);

static weir_status warn(weir_choice *choice, const char *format, ...)
{
    char text[WARNING_BYTES];
    char **larger = wi_realloc(choice->warnings, (choice->warning_count + 1) * sizeof *larger);
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (larger == NULL)
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_select", "no memory for a warning");
    choice->warnings = larger;
    larger[choice->warning_count] = wi_strdup(text);
    if (larger[choice->warning_count] == NULL)
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_select", "no memory for a warning");
    choice->warning_count++;
    return WEIR_OK;
}

/* The name; AMD's board name where that is missing. */
static const char *name_of(const weir_record *record)
{
    const char *name = wi_record_get_text(record, WI_PROPERTY_NAME);
    const char *board = wi_record_get_text(record, WI_PROPERTY_BOARD_NAME_AMD);

    if (name[0] != '\0') return name;
    return board[0] != '\0' ? board : "a device without a name";
}

static weir_status warn_all(weir_choice *choice)
{
    weir_status status = WEIR_OK;

    for (size_t i = 0; i < choice->count && status == WEIR_OK; i++) {
        const wi_candidate *c = &choice->candidates[i];
        const char *index = wi_record_get_index(choice->records[i]);
        wi_doubts doubts;

        if (c->duplicate_of != SIZE_MAX)
            status =
                warn(choice, "%s (%.80s): %s", index, name_of(choice->records[i]), c->rejected);
        wi_doubts_find(choice->records[i], &doubts);
        for (size_t k = 0; k < doubts.count && status == WEIR_OK; k++)
            status =
                warn(choice, "%s (%.80s): %s", index, name_of(choice->records[i]), doubts.texts[k]);
    }
    return status;
}

/* The candidate that would be taken without the chosen one. */
static size_t runner_up(const weir_choice *choice)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < choice->count; i++)
        if (i != choice->chosen && choice->candidates[i].is_eligible &&
            (best == SIZE_MAX || choice->candidates[i].score > choice->candidates[best].score))
            best = i;
    return best;
}

/* The first term that tells the chosen from the next. */
static const char *decisive_term(const weir_choice *choice, size_t next)
{
    for (size_t t = 0; t < WI_TERMS; t++)
        if (choice->candidates[choice->chosen].values[t] != choice->candidates[next].values[t])
            return wi_rank_name(t);
    return "the lower number";
}

static void tell_chosen(weir_choice *choice)
{
    const wi_candidate *c = &choice->candidates[choice->chosen];
    const weir_record *record = choice->records[choice->chosen];
    size_t next = runner_up(choice);
    int used = snprintf(choice->reason, sizeof choice->reason, "%s %.160s: %s (%s)",
                        wi_record_get_index(record), name_of(record),
                        weir_device_class_name(c->device_class), c->class_why);

    if (next == SIZE_MAX) {
        (void)snprintf(choice->reason + used, sizeof choice->reason - (size_t)used,
                       "; the only one left");
        return;
    }
    (void)snprintf(choice->reason + used, sizeof choice->reason - (size_t)used,
                   "; ahead of %s %.160s by %.2f, decided by %s",
                   wi_record_get_index(choice->records[next]), name_of(choice->records[next]),
                   c->score - choice->candidates[next].score, decisive_term(choice, next));
}

static void tell_none(weir_choice *choice)
{
    size_t used = (size_t)snprintf(choice->reason, sizeof choice->reason, "%s",
                                   choice->count == 0 ? "no devices" : "no device can be taken");

    for (size_t i = 0; i < choice->count && used < sizeof choice->reason; i++)
        used +=
            (size_t)snprintf(choice->reason + used, sizeof choice->reason - used, "%s%s %.80s: %s",
                             i == 0 ? ": " : "; ", wi_record_get_index(choice->records[i]),
                             name_of(choice->records[i]), choice->candidates[i].rejected);
}

weir_status wi_choice_tell(weir_choice *choice)
{
    const weir_status status = warn_all(choice);

    if (status != WEIR_OK) return status;
    if (choice->chosen != SIZE_MAX)
        tell_chosen(choice);
    else
        tell_none(choice);
    return WEIR_OK;
}

void weir_choice_destroy(weir_choice *choice)
{
    if (choice == NULL) return;
    for (size_t i = 0; i < choice->warning_count; i++) wi_free(choice->warnings[i]);
    wi_free(choice->warnings);
    wi_free(choice->candidates);
    wi_free(choice);
}

size_t weir_choice_get_chosen(const weir_choice *choice)
{
    return choice != NULL ? choice->chosen : SIZE_MAX;
}

const char *weir_choice_get_reason(const weir_choice *choice)
{
    return choice != NULL ? choice->reason : "";
}

int weir_choice_get_candidate(const weir_choice *choice, size_t i, weir_candidate *out)
{
    const wi_candidate *c = NULL;

    if (out == NULL) return 0;
    memset(out, 0, sizeof *out);
    out->class_why = "";
    out->duplicate_of = SIZE_MAX;
    if (choice == NULL || i >= choice->count) return 0;
    c = &choice->candidates[i];
    out->device_class = c->device_class;
    out->class_why = c->class_why;
    out->is_eligible = c->is_eligible;
    out->score = c->score;
    out->term_count = c->is_eligible ? WI_TERMS : 0;
    out->rejected = c->is_eligible ? NULL : c->rejected;
    out->duplicate_of = c->duplicate_of;
    return 1;
}

int weir_choice_get_term(const weir_choice *choice, size_t i, size_t t, weir_term *out)
{
    if (out == NULL) return 0;
    memset(out, 0, sizeof *out);
    out->name = "";
    out->meaning = "";
    if (choice == NULL || i >= choice->count || t >= WI_TERMS || !choice->candidates[i].is_eligible)
        return 0;
    out->name = wi_rank_name(t);
    out->weight = wi_rank_weight(t);
    out->value = choice->candidates[i].values[t];
    out->meaning = wi_rank_meaning(t);
    return 1;
}

const char *weir_choice_get_warning(const weir_choice *choice, size_t i)
{
    return choice != NULL && i < choice->warning_count ? choice->warnings[i] : NULL;
}
