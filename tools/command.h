/* What a command of the program is, and how the program ends. */
#ifndef WEIR_TOOLS_COMMAND_H
#define WEIR_TOOLS_COMMAND_H

#include "option.h"

typedef enum program_exit {
    PROGRAM_OK = 0,
    PROGRAM_FAILED = 1,    /* while running, or a check that does not hold */
    PROGRAM_USAGE = 2,     /* bad usage or unreadable input; stdout stays empty */
    PROGRAM_NO_DEVICE = 3, /* no device matches */
    PROGRAM_INTERRUPTED = 130
} program_exit;

/* One command. Options are written to the struct that `run` passes to option_parse(). */
typedef struct program_command {
    const char *name;     /* "loop" */
    const char *summary;  /* one line for `weir --help` */
    const char *operands; /* as in the usage line, "[FILE|-]"; "" if the command takes none */
    size_t operand_max;   /* how many are accepted */
    const program_option *options; /* ended by an entry without a name; --help is added by itself */
    const char *details;           /* text below the options, each line ended; "" for none */
    int (*run)(const struct program_command *self, int argc,
               char **argv); /* argv[0] is the command; gives a program_exit */
} program_command;

/* One line a command, defined in cmd_<name>.c and listed in weir.c. */
extern const program_command command_loop;
extern const program_command command_devices;
extern const program_command command_select;
extern const program_command command_replay;
extern const program_command command_bench;

#endif
