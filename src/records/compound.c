/* Values that state several properties. No state. */
#include "records/compound.h"

int wi_compound_address_bits(wi_table *table, const wi_label *label, wi_span value)
{
    size_t comma = wi_span_find_byte(value, ',');
    wi_span bits = {value.at, comma};
    wi_span order = wi_span_trim(wi_span_skip(value, comma + 1));

    if (wi_span_is(order, "Little-Endian") || wi_span_is(order, "Big-Endian"))
        wi_builder_set_number(table->builder, WI_PROPERTY_ENDIAN_LITTLE,
                              (uint64_t)wi_span_is(order, "Little-Endian"), table->line);
    (void)wi_builder_set(table->builder, label->id, bits, table->line);
    return 1;
}

int wi_compound_pair(wi_table *table, const wi_label *label, wi_span value)
{
    uint64_t first = 0;
    uint64_t second = 0;
    int code = 0;

    if (wi_span_starts(value, "<") && wi_value_error(value, &code))
        return wi_builder_set(table->builder, label->id, value, table->line);
    if (!wi_span_number(&value, &first)) return 0;
    value = wi_span_trim(value);
    if (!wi_span_starts(value, "/") && !wi_span_starts(value, ".")) return 0;
    value = wi_span_trim(wi_span_skip(value, 1));
    if (!wi_span_number(&value, &second)) return 0;
    if (value.bytes > 0 && value.at[0] != ' ' && value.at[0] != '\t') return 0;
    if (value.bytes == 0 && table->line->is_open) return 1;
    wi_builder_set_number(table->builder, label->id, first, table->line);
    wi_builder_set_number(table->builder, (wi_property_id)label->argument, second, table->line);
    return 1;
}

int wi_compound_extents(wi_table *table, const wi_label *label, wi_span value)
{
    uint64_t numbers[3] = {0};
    size_t pixels = wi_span_find(value, " pixels");
    wi_span text = {value.at, pixels};

    if (pixels == value.bytes && table->line->is_open) return 1;
    if (wi_value_numbers(text, numbers, 3) != label->argument) return 0;
    for (unsigned i = 0; i < label->argument; i++)
        wi_builder_set_number(table->builder, (wi_property_id)(label->id + i), numbers[i],
                              table->line);
    return 1;
}

int wi_compound_topology_nv(wi_table *table, const wi_label *label, wi_span value)
{
    uint64_t pci[4];
    int kind = wi_value_pci(value, pci);

    (void)label;
    if (kind == 0) return 0;
    if (kind == 2)
        wi_builder_set_number(table->builder, WI_PROPERTY_PCI_DOMAIN_ID_NV, pci[0], table->line);
    wi_builder_set_number(table->builder, WI_PROPERTY_PCI_BUS_ID_NV, pci[1], table->line);
    wi_builder_set_number(table->builder, WI_PROPERTY_PCI_SLOT_ID_NV, pci[2] << 3 | pci[3],
                          table->line);
    return 1;
}
