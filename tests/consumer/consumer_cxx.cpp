// As consumer.c, for users who write C++.
#include <weir/weir.h>

#include <iostream>
#include <string>

int main()
{
    weir_system *system = nullptr;
    weir_shape shape;

    if (std::string(weir_version()) != WEIR_VERSION) return 1;
    if (weir_shape_parse("1,1024", &shape) != WEIR_OK || weir_shape_count(&shape) != 1024) return 2;
    if (weir_system_create(&system) != WEIR_OK) {
        std::cerr << weir_last_error()->where << ": " << weir_last_error()->message << "\n";
        return 3;
    }
    std::cout << "weir " << weir_version() << " in C++: " << weir_system_count(system)
              << " devices\n";
    weir_system_destroy(system);
    return 0;
}
