/* Choosing: needs, then duplicates, then rank; every step leaves its reason behind in the choice.
 *
 * Nothing is looked at but the records, so equal records give equal choices. One thread a choice.
 */
#include "base/memory.h"
#include "base/options.h"
#include "base/status.h"
#include "device/choice.h"
#include "device/class.h"
#include "device/need.h"
#include "device/rank.h"
#include "device/selector.h"
#include "device/twin.h"

#include <stdio.h>
#include <string.h>

#define WHERE "weir_select"

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

static void reject_by_need(wi_candidate *c, const weir_record *record, const demand *d)
{
    for (size_t i = 0; i < d->needs.count && c->rejected[0] == '\0'; i++) {
        int met = wi_need_is_met(&d->needs.list[i], record);

        if (met == 1) continue;
        (void)snprintf(c->rejected, sizeof c->rejected, "%s%s", d->needs.list[i].text,
                       met == 0 ? " is not met" : ": the record does not say");
    }
}

static void judge(wi_candidate *c, const weir_record *record, const demand *d)
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
    wi_candidate *c = &choice->candidates[which];

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
        wi_candidate *c = &choice->candidates[i];

        if (!c->is_eligible) continue;
        wi_rank_values(choice->records[i], one_maker[c->device_class], c->values);
        for (size_t t = 0; t < WI_TERMS; t++) c->score += wi_rank_weight(t) * c->values[t];
        if (choice->chosen == SIZE_MAX || c->score > choice->candidates[choice->chosen].score)
            choice->chosen = i;
    }
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
    status = wi_choice_tell(choice);
    if (status != WEIR_OK) goto done;

    *out = choice;
    choice = NULL;
done:
    weir_choice_destroy(choice);
    return status;
}
