/* The installed library weir_records. */
#include <weir/records.h>

#include <stdio.h>

int main(void)
{
    static const char text[] = "Platform #0: A\n `-- Device #0: The card\n";
    weir_records *records = NULL;
    weir_property name;
    int is_found = 0;

    if (weir_records_read(text, sizeof text - 1, "text", &records) != WEIR_OK) {
        (void)fprintf(stderr, "%s\n", weir_last_error()->message);
        return 1;
    }
    is_found = weir_record_find(weir_records_get(records, 0), "name", &name);
    if (is_found) (void)printf("records: %s\n", name.text);
    weir_records_destroy(records);
    return is_found ? 0 : 1;
}
