/* The program `weir`: finds the command and lets it run.
 *
 * Commands are rows of a table; those of the design that this build does not have are named as such. Every end passes
 * output_finish(), so an output that could not be written never looks like success. */
#include "command.h"
#include "output.h"
#include "probe.h"

#include <weir/version.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const program_command *const commands[] = {
    &command_loop, &command_devices, &command_select, &command_replay, &command_bench,
};

static const char *const later[] = {"plan", "check", "as"};

#define COUNT(Array) (sizeof(Array) / sizeof(Array)[0])

static void print_usage(FILE *stream)
{
    (void)fputs("usage: weir COMMAND [options]\nDevice memory, tensors and accumulation on any "
                "OpenCL device.\n\n",
                stream);
    for (size_t i = 0; i < COUNT(commands); i++)
        (void)fprintf(stream, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    (void)fputs(
        "\n  weir COMMAND --help   options of a command\n  weir --version        the version\n",
        stream);
}

static int refuse(const char *name)
{
    char known[256] = "";

    for (size_t i = 0; i < COUNT(later); i++) {
        if (strcmp(later[i], name) == 0) {
            output_usage("weir: %s: not in this build (see: weir --help)", name);
            return PROGRAM_USAGE;
        }
    }
    for (size_t i = 0; i < COUNT(commands); i++)
        output_append(known, sizeof known, "%s%s", i == 0 ? "" : ", ", commands[i]->name);
    output_usage("weir: unknown command '%s'; expected one of: %s (see: weir --help)", name, known);
    return PROGRAM_USAGE;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return PROGRAM_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_usage(stdout);
        return PROGRAM_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        (void)printf("weir %s\n", weir_version());
        return PROGRAM_OK;
    }
    if (strcmp(argv[1], "--probe") == 0) probe_answer();
    for (size_t i = 0; i < COUNT(commands); i++) {
        if (strcmp(commands[i]->name, argv[1]) == 0)
            return commands[i]->run(commands[i], argc - 1, argv + 1);
    }
    return refuse(argv[1]);
}

int main(int argc, char **argv)
{
    /* A reader that goes away is an output that cannot be written, not a death by signal. */
    (void)signal(SIGPIPE, SIG_IGN);
    return output_finish(dispatch(argc, argv));
}
