/* Choosing: needs, then duplicates, then rank; every step leaves its reason behind.
 *
 * A choice holds a row for each record. Nothing is looked at but the records, so equal records give equal choices. One
 * thread a choice; reading it needs no lock.
 */
#include "base/memory.h"
#include "base/options.h"
#include "base/status.h"
#include "device/class.h"
#include "device/need.h"
#include "device/rank.h"
#include "device/selector.h"
#include "device/twin.h"

#include <weir/select.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WHERE "weir_select"
#define REJECTED_BYTES 160
#define REASON_BYTES 900
#define WARNING_BYTES 320

typedef struct candidate {
    weir_device_class device_class;
    const char *class_why;
    int is_eligible;
    int is_unsound;
    double score;
    double values[WI_TERMS];
    size_t duplicate_of;
    char rejected[REJECTED_BYTES]; /* "" if eligible */
} candidate;

/* Invariants: chosen is SIZE_MAX or the eligible candidate of the highest score, the first of several; a candidate is
 * eligible if and only if rejected is ""; duplicate_of is SIZE_MAX or another candidate's number. */
struct weir_choice {
    const weir_record *const *records;
    candidate *candidates;
    size_t count;
    size_t chosen;
    char **warnings;
    size_t warning_count;
    char reason[REASON_BYTES];
};

/* What was asked, taken apart. */
typedef struct demand {
    wi_needs needs;
    wi_selector pick;
    unsigned classes; /* a bit a class */
    int has_classes;
    const char *pick_text;
} demand;

static weir_status parse_classes(const char *text, demand *out)
{
    static const char known[] =
        "discrete, integrated, cpu, software, accelerator, emulator, separated "
        "by commas";

    out->has_classes = text != NULL;
    while (text != NULL) {
        size_t bytes = strcspn(text, ",");
        int is_found = 0;

        for (int i = WEIR_DEVICE_DISCRETE; i <= WEIR_DEVICE_EMULATOR; i++) {
            const char *name = weir_device_class_name((weir_device_class)i);

            if (strlen(name) != bytes || memcmp(name, text, bytes) != 0) continue;
            out->classes |= 1U << i;
            is_found = 1;
        }
        if (!is_found)
            return wi_fail_hint(WEIR_E_ARG, WHERE, known, "class \"%.*s\" is not known",
                                bytes < 80 ? (int)bytes : 80, text);
        text = text[bytes] == ',' ? text + bytes + 1 : NULL;
    }
    return WEIR_OK;
}

static weir_status parse(const weir_criteria *criteria, demand *out)
{
    weir_status status = WEIR_OK;

    memset(out, 0, sizeof *out);
    if (criteria == NULL) return WEIR_OK;
    status = wi_needs_parse(criteria->needs, &out->needs);
    if (status == WEIR_OK) status = parse_classes(criteria->classes, out);
    if (status == WEIR_OK) status = wi_selector_parse(criteria->pick, &out->pick);
    out->pick_text = criteria->pick;
    return status;
}

/* Whether the class is one that was asked for; by default all but those that must be. */
static int class_is_asked(const demand *d, weir_device_class device_class)
{
    if (d->has_classes) return (d->classes >> device_class & 1) != 0;
    return !wi_class_must_be_asked(device_class) || wi_selector_names(&d->pick);
}

static void reject_by_need(candidate *c, const weir_record *record, const demand *d)
{
    for (size_t i = 0; i < d->needs.count && c->rejected[0] == '\0'; i++) {
        int met = wi_need_is_met(&d->needs.list[i], record);

        if (met == 1) continue;
        (void)snprintf(c->rejected, sizeof c->rejected, "%s%s", d->needs.list[i].text,
                       met == 0 ? " is not met" : ": the record does not say");
    }
}

static void judge(candidate *c, const weir_record *record, const demand *d)
{
    const char *unusable = wi_record_unusable(record);
    const char *name = NULL;

    c->device_class = wi_record_class(record, &c->class_why);
    c->duplicate_of = SIZE_MAX;
    name = weir_device_class_name(c->device_class);
    if (!wi_selector_matches(&d->pick, record))
        (void)snprintf(c->rejected, sizeof c->rejected, "%.80s does not name it",
                       d->pick_text != NULL ? d->pick_text : "");
    else if (unusable != NULL && !wi_selector_takes_unusable(&d->pick))
        (void)snprintf(c->rejected, sizeof c->rejected, "%s", unusable);
    else if (!class_is_asked(d, c->device_class))
        (void)snprintf(c->rejected, sizeof c->rejected,
                       wi_class_must_be_asked(c->device_class) ? "class %s must be asked for"
                                                               : "class %s was not asked for",
                       name);
    else
        reject_by_need(c, record, d);
    c->is_eligible = c->rejected[0] == '\0';
}

/* 1 if twin j is the better way to the hardware: sound, 64 bits, the maker's own driver, the lower number. */
static int is_better_twin(const weir_choice *choice, size_t j, size_t i)
{
    const weir_record *a = choice->records[i];
    const weir_record *b = choice->records[j];
    int a_narrow = wi_record_get_number(a, WI_PROPERTY_ADDRESS_BITS, 64) < 64;
    int b_narrow = wi_record_get_number(b, WI_PROPERTY_ADDRESS_BITS, 64) < 64;

    if (choice->candidates[i].is_unsound != choice->candidates[j].is_unsound)
        return choice->candidates[i].is_unsound;
    if (a_narrow != b_narrow) return a_narrow;
    return wi_rank_driver(b) > wi_rank_driver(a);
}

static void set_duplicate(weir_choice *choice, size_t of, size_t which, wi_twin twin)
{
    candidate *c = &choice->candidates[which];

    c->duplicate_of = of;
    c->is_eligible = 0;
    (void)snprintf(c->rejected, sizeof c->rejected, "duplicate of %s (%s)",
                   wi_record_get_index(choice->records[of]), wi_twin_text(twin));
}

static void find_duplicates(weir_choice *choice)
{
    for (size_t j = 1; j < choice->count; j++) {
        for (size_t i = 0; i < j && choice->candidates[j].is_eligible; i++) {
            wi_twin twin = WI_TWIN_NONE;

            if (!choice->candidates[i].is_eligible) continue;
            twin = wi_twin_of(choice->records, choice->count, i, j);
            if (twin == WI_TWIN_NONE) continue;
            if (is_better_twin(choice, j, i)) {
                set_duplicate(choice, j, i, twin);
                /* Those that pointed at it point on. */
                for (size_t k = 0; k < j; k++)
                    if (choice->candidates[k].duplicate_of == i) set_duplicate(choice, j, k, twin);
            } else {
                set_duplicate(choice, i, j, twin);
            }
        }
    }
}

/* Units and clocks are compared when all rivals of a class are of one maker that is known. */
static int is_one_maker(const weir_choice *choice, weir_device_class device_class)
{
    wi_maker maker = WI_MAKER_UNKNOWN;

    for (size_t i = 0; i < choice->count; i++) {
        wi_maker each = WI_MAKER_UNKNOWN;

        if (!choice->candidates[i].is_eligible ||
            choice->candidates[i].device_class != device_class)
            continue;
        each = wi_record_maker(choice->records[i]);
        if (maker != WI_MAKER_UNKNOWN && each != maker) return 0;
        maker = each;
    }
    return 1;
}

static void rank(weir_choice *choice)
{
    int one_maker[WEIR_DEVICE_EMULATOR + 1];

    for (int i = 0; i <= WEIR_DEVICE_EMULATOR; i++)
        one_maker[i] = is_one_maker(choice, (weir_device_class)i);
    choice->chosen = SIZE_MAX;
    for (size_t i = 0; i < choice->count; i++) {
        candidate *c = &choice->candidates[i];

        if (!c->is_eligible) continue;
        wi_rank_values(choice->records[i], one_maker[c->device_class], c->values);
        for (size_t t = 0; t < WI_TERMS; t++) c->score += wi_rank_weight(t) * c->values[t];
        if (choice->chosen == SIZE_MAX || c->score > choice->candidates[choice->chosen].score)
            choice->chosen = i;
    }
}

static weir_status warn(weir_choice *choice, const char *format, ...) WEIR_PRINTF(2, 3);

static weir_status warn(weir_choice *choice, const char *format, ...)
{
    char text[WARNING_BYTES];
    char **larger = wi_realloc(choice->warnings, (choice->warning_count + 1) * sizeof *larger);
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (larger == NULL) return wi_fail(WEIR_E_HOST_MEMORY, WHERE, "no memory for a warning");
    choice->warnings = larger;
    larger[choice->warning_count] = wi_strdup(text);
    if (larger[choice->warning_count] == NULL)
        return wi_fail(WEIR_E_HOST_MEMORY, WHERE, "no memory for a warning");
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
        const candidate *c = &choice->candidates[i];
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
    const candidate *c = &choice->candidates[choice->chosen];
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

weir_status weir_select(const weir_record *const *records, size_t count,
                        const weir_criteria *criteria, weir_choice **out)
{
    weir_choice *choice = NULL;
    demand d;
    weir_criteria asked = WEIR_CRITERIA_INIT;
    weir_status status = WEIR_OK;

    if (out != NULL) *out = NULL;
    if (out == NULL || (records == NULL && count > 0))
        return wi_fail(WEIR_E_ARG, WHERE, "records and out are required");
    if (criteria != NULL) {
        if (!wi_options_read(criteria, &asked, sizeof asked))
            return wi_fail(WEIR_E_ARG, WHERE, "struct_size of the criteria is %zu",
                           criteria->struct_size);
    }
    status = parse(&asked, &d);
    if (status != WEIR_OK) return status;
    choice = wi_calloc(1, sizeof *choice);
    if (choice != NULL) choice->candidates = wi_calloc(count + 1, sizeof *choice->candidates);
    if (choice == NULL || choice->candidates == NULL) {
        status = wi_fail(WEIR_E_HOST_MEMORY, WHERE, "no memory for %zu candidates", count);
        goto done;
    }
    choice->records = records;
    choice->count = count;
    for (size_t i = 0; i < count; i++) {
        wi_doubts doubts;

        judge(&choice->candidates[i], records[i], &d);
        wi_doubts_find(records[i], &doubts);
        choice->candidates[i].is_unsound = doubts.is_unsound;
    }
    find_duplicates(choice);
    rank(choice);
    status = warn_all(choice);
    if (status != WEIR_OK) goto done;
    if (choice->chosen != SIZE_MAX)
        tell_chosen(choice);
    else
        tell_none(choice);

    *out = choice;
    choice = NULL;
done:
    weir_choice_destroy(choice);
    return status;
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
    const candidate *c = NULL;

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
