// As consumer.c, for users who write C++.
#include <weir/shape.h>
#include <weir/status.h>
#include <weir/version.h>

#include <iostream>
#include <string>

int main()
{
    weir_shape shape;

    if (weir_shape_parse("1,1024", &shape) != WEIR_OK || weir_shape_count(&shape) != 1024) return 1;
    if (std::string(weir_version()) != WEIR_VERSION) return 2;
    std::cout << "weir " << weir_version() << " in C++\n";
    return 0;
}
