/* The least that a user's program does: lists the devices, compares the versions of header and library. A machine
 * without a device is no failure here. */
#include <weir/weir.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    weir_system *system = NULL;
    weir_shape shape;

    if (strcmp(weir_version(), WEIR_VERSION) != 0) return 1;
    if (weir_shape_parse("1,1024", &shape) != WEIR_OK || weir_shape_count(&shape) != 1024) return 2;
    if (weir_system_create(&system) != WEIR_OK) {
        fprintf(stderr, "%s: %s\n", weir_last_error()->where, weir_last_error()->message);
        return 3;
    }
    printf("weir %s in C: %zu devices\n", weir_version(), weir_system_count(system));
    weir_system_destroy(system);
    return 0;
}
