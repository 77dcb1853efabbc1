/* Drivers that fail when they are loaded or first asked, one a build of this file: BAD_KIND says which. Beside what it
 * does wrong a driver has no platforms. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOT_FOUND (-1001) /* CL_PLATFORM_NOT_FOUND_KHR */

#define DRIVER_API __attribute__((visibility("default")))

DRIVER_API int clIcdGetPlatformIDsKHR(unsigned room, void **platforms, unsigned *count);
DRIVER_API int clGetPlatformInfo(void *platform, unsigned query, size_t room, void *value,
                                 size_t *bytes);
DRIVER_API void *clGetExtensionFunctionAddress(const char *name);

/* Leaves the process's number where a test finds it. */
static void leave_number(void)
{
    const char *path = getenv("WT_BAD_PID");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;

    if (file == NULL) return;
    (void)fprintf(file, "%ld\n", (long)getpid());
    (void)fclose(file);
}

static void hang(void)
{
    leave_number();
    for (;;) (void)pause();
}

static void crash(void)
{
    (void)signal(SIGSEGV, SIG_DFL);
    (void)raise(SIGSEGV);
}

static void print(void)
{
    (void)printf("{\"records\": [junk\n");
    (void)fflush(stdout);
    (void)fprintf(stderr, "junk\n");
}

/* A process that outlives the one that made it, with all its files. */
static void leave(void)
{
    if (fork() == 0) {
        (void)sleep(60);
        _exit(0);
    }
    exit(3);
}

/* Crashes where another of its kind is. */
static void pair(void)
{
    if (getenv("WT_BAD_PAIR") != NULL) crash();
    (void)setenv("WT_BAD_PAIR", "1", 1);
}

/* Hangs where another of its kind is. */
static void wait_beside(void)
{
    if (getenv("WT_BAD_PAIR") != NULL) hang();
    (void)setenv("WT_BAD_PAIR", "1", 1);
}

static void answer_late(void) { (void)sleep(2); }

static void end(void) { exit(0); }

static const struct {
    const char *kind;
    void (*act)(void);
    int is_at_load;
} kinds[] = {
    {"load", crash, 1},       {"crash", crash, 0},       {"abort", abort, 0},
    {"hang", hang, 0},        {"stall", hang, 1},        {"exit", end, 0},
    {"print", print, 0},      {"leave", leave, 0},       {"first", pair, 0},
    {"second", pair, 0},      {"third", wait_beside, 0}, {"fourth", wait_beside, 0},
    {"slow", answer_late, 0},
};

static void act(int is_at_load)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].kind, BAD_KIND) == 0 && kinds[i].is_at_load == is_at_load)
            kinds[i].act();
}

__attribute__((constructor)) static void load(void) { act(1); }

int clIcdGetPlatformIDsKHR(unsigned room, void **platforms, unsigned *count)
{
    (void)room;
    (void)platforms;
    if (count != NULL) *count = 0;
    act(0);
    return NOT_FOUND;
}

int clGetPlatformInfo(void *platform, unsigned query, size_t room, void *value, size_t *bytes)
{
    (void)platform;
    (void)query;
    (void)room;
    (void)value;
    if (bytes != NULL) *bytes = 0;
    return NOT_FOUND;
}

void *clGetExtensionFunctionAddress(const char *name)
{
    int (*function)(unsigned, void **, unsigned *) = clIcdGetPlatformIDsKHR;
    void *address = NULL;

    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0) memcpy(&address, &function, sizeof address);
    return address;
}
