/* Options of a command, read from a table: `--name value`, `--name=value`, `-o value`, flags, operands, `--`. */
#ifndef WEIR_TOOLS_OPTION_H
#define WEIR_TOOLS_OPTION_H

#include <stddef.h>
#include <stdint.h>

struct program_command;

typedef enum option_kind {
    OPTION_FLAG,   /* int: set to 1 */
    OPTION_TEXT,   /* const char *: as given, never empty unless is_empty_allowed */
    OPTION_NUMBER, /* uint64_t: 0 .. max */
    OPTION_SIZE,   /* uint64_t: bytes, with K, M or G for powers of 1024; at least 1 */
    OPTION_LIMIT,  /* option_limit: a size, or a percentage of the device's memory */
    OPTION_CHOICE, /* const char *: a name of the choices */
    OPTION_DEVICE, /* option_device: may stand alone; what follows is its value if it looks like a selector */
    OPTION_LATER /* known to the design, not in this build; nothing is written */
} option_kind;

typedef struct option_limit {
    uint64_t bytes;  /* 0: not given as bytes */
    double fraction; /* 0: not given as a percentage, else in (0, 1] */
} option_limit;

typedef struct option_device {
    int is_given;
    const char *selector; /* NULL: none was named */
} option_device;

/* A name that an OPTION_CHOICE takes. Tables end with an entry without a name. */
typedef struct option_choice {
    const char *name;
    int is_present; /* 0: known, not in this build */
} option_choice;

/* One option. Tables end with an entry without a name. */
typedef struct program_option {
    const char *name; /* without dashes; a single letter is written with one dash */
    option_kind kind;
    size_t offset;                /* of the value in the command's struct */
    const char *argument;         /* "BYTES"; NULL for a flag */
    const char *help;             /* one line, or several separated by newlines */
    const option_choice *choices; /* OPTION_CHOICE; NULL: none but the strategies */
    int has_strategies;           /* OPTION_CHOICE: the names of the library's strategies, too */
    uint64_t max;                 /* OPTION_NUMBER; 0: UINT64_MAX */
    int is_empty_allowed;         /* OPTION_TEXT */
} program_option;

#define OPTION_GO_ON (-1)

/** Reads a command line into `values`.
 *
 * Each value is written where its option says; what is not given keeps what it holds. Operands are gathered in order.
 * argv       argv[0] is the command's name; the strings must outlive values
 * operands   at least argc entries, or NULL if the command takes none
 * Returns OPTION_GO_ON, or the exit code with which to end: 0 after --help was printed, 2 after one line on stderr. */
int option_parse(const struct program_command *owner, int argc, char **argv, void *values,
                 const char **operands, size_t *operand_count);

/** Prints the usage line, the options and the details of a command on stdout. */
void option_help(const struct program_command *owner);

#endif
