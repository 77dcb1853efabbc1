/* The least that a user's program does: calls into the library and compares versions. */
#include <weir/shape.h>
#include <weir/status.h>
#include <weir/version.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    weir_shape shape;
    weir_status status = weir_shape_parse("1,1024", &shape);

    if (status != WEIR_OK || weir_shape_count(&shape) != 1024) return 1;
    if (strcmp(weir_version(), WEIR_VERSION) != 0) return 2;
    printf("weir %s in C\n", weir_version());
    return 0;
}
