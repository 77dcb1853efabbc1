/* Looking for the loader.
 *
 * What is in the program's own scope comes first: a loader that it is linked to, or a library that was loaded before all
 * others to see its calls. No state.
 */
#include "cl/loader.h"

#include <dlfcn.h>
#include <stdio.h>

static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so"};

void *wi_loader_find(char *why, size_t bytes)
{
    void *handle = dlopen(NULL, RTLD_LAZY);

    why[0] = '\0';
    if (handle != NULL && dlsym(handle, "clGetPlatformIDs") != NULL) return handle;
    if (handle != NULL) (void)dlclose(handle);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *words = NULL;

        handle = dlopen(names[i], RTLD_LAZY | RTLD_GLOBAL);
        if (handle != NULL) {
            why[0] = '\0';
            return handle;
        }
        words = dlerror();
        if (i == 0) (void)snprintf(why, bytes, "%s", words != NULL ? words : names[i]);
    }
    return NULL;
}
