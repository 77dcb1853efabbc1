/* Labels: an open-addressed hash, so that a line costs the same whether or not its label is known. */
#include "records/label.h"

#include <string.h>

static size_t hash(wi_span text)
{
    uint32_t h = 2166136261U;

    for (size_t i = 0; i < text.bytes; i++) h = (h ^ (unsigned char)text.at[i]) * 16777619U;
    return (h ^ (h >> 15)) % WI_LABEL_SLOTS;
}

void wi_label_index_make(wi_label_index *index, const wi_label *rows, size_t count)
{
    index->rows = rows;
    index->count = count;
    memset(index->slots, 0, sizeof index->slots);
    for (size_t i = 0; i < count; i++) {
        size_t slot = hash(wi_span_of(rows[i].text));

        while (index->slots[slot] != 0) slot = (slot + 1) % WI_LABEL_SLOTS;
        index->slots[slot] = (unsigned short)(i + 1);
    }
}

const wi_label *wi_label_find(const wi_label_index *index, wi_span label, wi_section section)
{
    const wi_label *everywhere = NULL;

    for (size_t slot = hash(label); index->slots[slot] != 0; slot = (slot + 1) % WI_LABEL_SLOTS) {
        const wi_label *row = &index->rows[index->slots[slot] - 1];

        if (!wi_span_is(label, row->text)) continue;
        if (row->section == section) return row;
        if (row->section == WI_IN_ANY) everywhere = row;
    }
    return everywhere;
}

int wi_label_plain(wi_table *table, const wi_label *label, wi_span value)
{
    wi_wire wire = wi_property_row_at(label->id)->wire;

    /* A text that breaks off behind a label says nothing of it. */
    if (value.bytes == 0 && (table->line->is_open || wire != WI_WIRE_TEXT)) {
        table->builder->is_cut |= table->line->is_open;
        return 1;
    }
    /* What does not fit is noted there. */
    (void)wi_builder_set(table->builder, label->id, value, table->line);
    return 1;
}

int wi_label_flags(wi_table *table, const wi_label *label, wi_span value)
{
    int code = 0;

    table->section = (wi_section)label->argument;
    if (wi_value_is_na(value) || (wi_span_starts(value, "<") && wi_value_error(value, &code)))
        return wi_builder_set(table->builder, label->id, value, table->line);
    wi_builder_begin_flags(table->builder, label->id, table->line);
    /* It may have been "(n/a)". */
    if (!wi_span_is_plain(value)) wi_builder_spoil_flags(table->builder, table->line);
    return 1;
}

int wi_label_bit(wi_table *table, const wi_label *label, wi_span value)
{
    int yes = 0;

    if (!wi_value_yes(value, &yes)) {
        wi_builder_spoil_flags(table->builder, table->line);
        return 1;
    }
    wi_builder_set_bit(table->builder, label->id, (uint64_t)1 << label->argument, yes);
    return 1;
}

int wi_label_heading(wi_table *table, const wi_label *label, wi_span value)
{
    (void)value;
    table->section = (wi_section)label->argument;
    return 1;
}

int wi_label_nothing(wi_table *table, const wi_label *label, wi_span value)
{
    (void)table;
    (void)label;
    (void)value;
    return 1;
}

/* The text ends in the middle of a count, perhaps; 0 is whole. */
static int is_cut_count(wi_table *table, wi_span rest, uint64_t count)
{
    if (!table->line->is_open || rest.bytes > 0 || count == 0) return 0;
    table->builder->is_cut = 1;
    return 1;
}

int wi_label_platform_count(wi_table *table, const wi_label *label, wi_span value)
{
    uint64_t count = 0;

    (void)label;
    if (!wi_span_number(&value, &count)) return 0;
    if (!is_cut_count(table, value, count)) wi_builder_announce_platforms(table->builder, count);
    return 1;
}

int wi_label_device_count(wi_table *table, const wi_label *label, wi_span value)
{
    uint64_t count = 0;

    (void)label;
    if (!wi_span_number(&value, &count)) return 0;
    if (!is_cut_count(table, value, count)) wi_builder_announce_devices(table->builder, count);
    table->section = WI_IN_ANY;
    return 1;
}

int wi_label_is_count(const wi_label *label)
{
    return label->read == wi_label_platform_count || label->read == wi_label_device_count;
}

void wi_label_take(wi_table *table, const wi_label *label, wi_span value)
{
    if (!label->read(table, label, value) && value.bytes > 0)
        wi_builder_refuse(table->builder, label->text, table->line);
}
