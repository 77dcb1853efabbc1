#include <stdio.h>
#include <weir/records.h>
#include <weir/weir.h>

/* choose FILE: which device of the machine whose clinfo wrote FILE has 3 GiB and 64-bit floating point. */
int main(int argc, char **argv)
{
    enum { MOST = 64 };
    weir_criteria criteria = WEIR_CRITERIA_INIT;
    const weir_record *list[MOST];
    weir_records *records = NULL;
    weir_choice *choice = NULL;
    weir_candidate candidate;
    weir_property memory;
    size_t count = 0;

    criteria.needs = "min-mem=3G,fp64";
    if (weir_records_read_file(argc > 1 ? argv[1] : "-", &records)) {
        return printf("%s\n", weir_last_error()->message), 1;
    }
    for (; count < MOST && count < weir_records_count(records); count++) {
        list[count] = weir_records_get(records, count);
    }
    if (weir_select(list, count, &criteria, &choice)) {
        return printf("%s\n", weir_last_error()->message), 1;
    }
    for (size_t i = 0; i < count && weir_choice_get_candidate(choice, i, &candidate); i++) {
        printf("%s: ", weir_record_get_index(list[i]));
        if (weir_record_find(list[i], "global_mem_size", &memory) &&
            memory.state == WEIR_PROPERTY_VALUE) {
            printf("%llu bytes, ", (unsigned long long)memory.number);
        }
        printf("%s\n", candidate.rejected != NULL ? candidate.rejected : "can be taken");
    }
    printf("%s\n", weir_choice_get_reason(choice));
    for (size_t i = 0; weir_choice_get_warning(choice, i) != NULL; i++) {
        printf("note: %s\n", weir_choice_get_warning(choice, i));
    }
    weir_choice_destroy(choice);
    weir_records_destroy(records);
    return 0;
}
