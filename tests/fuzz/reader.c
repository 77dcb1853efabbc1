/* One reader on any bytes. FUZZ_READER is its function, NULL for the whole path from bytes to records. */
#include "records/reader.h"

#include <weir/records.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
    if (!holds) abort();
}

/* Every property of every record can be read, and says one of four things. */
static void look_at(const weir_record *record)
{
    char pci[32];

    require(weir_record_get_index(record)[0] != '\0');
    (void)weir_record_get_pci(record, pci, sizeof pci);
    require((unsigned)weir_record_get_class(record, NULL) <= WEIR_DEVICE_EMULATOR);
    for (size_t i = 0; i < weir_property_count(); i++) {
        weir_property property;

        weir_record_get(record, i, &property);
        require(property.state <= WEIR_PROPERTY_ERROR && property.count <= 8);
        require(property.text != NULL);
    }
}

#ifdef FUZZ_READER

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static wi_readers readers;
    wi_lines lines;
    wi_builder *builder = wi_builder_create();
    wi_part part = {0, 0, 0};

    if (readers.human.rows == NULL) {
        wi_human_index(&readers.human);
        wi_amd_index(&readers.amd);
    }
    require(builder != NULL);
    require(wi_lines_create((const char *)data, size, &lines) == WEIR_OK);
    part.to = lines.bytes;
    if (part.to > 0) FUZZ_READER(&readers, &lines, part, builder);
    require(builder->status == WEIR_OK);
    require(builder->device_count <= WI_DEVICES_MAX && builder->platform_count <= WI_DEVICES_MAX);
    for (size_t i = 0; i < builder->device_count; i++) look_at(builder->devices[i]);
    wi_lines_destroy(&lines);
    wi_builder_destroy(builder);
    return 0;
}

#else

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    weir_records *records = NULL;
    weir_status status = weir_records_read((const char *)data, size, "fuzz", &records);

    require(status == WEIR_OK || status == WEIR_E_FORMAT);
    require((status == WEIR_OK) == (records != NULL));
    require((weir_records_count(records) == 0) ==
            (records == NULL || weir_records_get_reason(records)[0] != '\0'));
    for (size_t i = 0; i < weir_records_count(records); i++) look_at(weir_records_get(records, i));
    weir_records_destroy(records);
    return 0;
}

#endif
