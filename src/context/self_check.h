/* The self-check at open: does this device's arithmetic give the bits that weir promises?
 *
 * One launch evaluates WI_SELF_CHECK_ROWS expressions (cl/self_check_rows.h) on WI_SELF_CHECK_CASES operand triples
 * at the context's vector width; the host evaluates the same text and compares. What differs is sorted into findings.
 *
 * It runs before anything else on the context's queue and must not freeze the device's memory configuration, so its
 * buffer comes straight from src/cl and the device's budget, not from the pool.
 */
#ifndef WI_CONTEXT_SELF_CHECK_H
#define WI_CONTEXT_SELF_CHECK_H

#include "context/context.h"

#include <weir/text.h>

#include <stddef.h>
#include <stdint.h>

#define WI_SELF_CHECK_ROWS 16
#define WI_SELF_CHECK_CASES 64

/* Device memory that the check takes for its duration: 4 KiB. */
#define WI_SELF_CHECK_BYTES ((uint64_t)WI_SELF_CHECK_ROWS * WI_SELF_CHECK_CASES * 4)

/* X(NAME, lower-case name, refuses, what it means when cases differ). `refuses` 1: results of normal size would have
 * other bits, so the context is not opened; 0: the difference is named and weir's functions do not depend on it. */
#define WI_CHECKED_LIST(X)                                                                  \
    X(INTEGERS, "integers", 1,                                                              \
      "32-bit product, upper half of a product, shift, conversion or comparison differ")    \
    X(PHILOX, "philox", 1, "the random words are not those of philox4x32-10")               \
    X(ROUNDING, "rounding", 1, "+ - * do not round to nearest even")                        \
    X(INFINITIES, "infinities", 1,                                                          \
      "overflow or infinite operands do not give the infinities of IEEE 754")               \
    X(NAN, "nan", 1, "an invalid operation does not give NaN, or NaN compares as a number") \
    X(FMA, "fma", 1, "fma is not rounded once")                                             \
    X(CONTRACTION, "contraction", 1, "a * b + c is fused although contraction is off")      \
    X(FUNCTIONS, "functions", 1,                                                            \
      "log, exp, tanh, sqrt, division, sine, cosine or normals differ from the host")       \
    X(SUBNORMALS, "subnormals", 0, "+ - * or comparisons flush subnormal numbers to zero")  \
    X(FMA_ZEROS, "fma zeros", 0,                                                            \
      "fma takes subnormal numbers for zero or gives a zero of the other sign")

typedef enum wi_checked {
#define WI_CHECKED_ENUM(NAME, Lower, Refuses, Text) WI_CHECKED_##NAME,
    WI_CHECKED_LIST(WI_CHECKED_ENUM)
#undef WI_CHECKED_ENUM
        WI_CHECKED_COUNT
} wi_checked;

typedef enum wi_finding_state {
    WI_FINDING_PASS = 0,
    WI_FINDING_NAMED, /* differs in a way that no normal result shows; told, not refused */
    WI_FINDING_FAIL
} wi_finding_state;

/* What was found about one property.
 * Invariants: differing == 0 <=> state == PASS; the rest describes the first differing case and is 0 in a PASS. */
typedef struct wi_finding {
    wi_finding_state state;
    uint32_t differing;
    unsigned row;           /* expression, wi_self_check_row_name() */
    uint32_t operands[3];   /* bits */
    uint32_t expected, got; /* bits */
} wi_finding;

typedef struct wi_self_check {
    unsigned width; /* lanes it ran with; 0: it did not run */
    wi_finding findings[WI_CHECKED_COUNT];
} wi_self_check;

/** Runs the check and waits.
 * queue    of the context's device; what it was given before has to end first
 * report   findings; `width` is 0 if the kernel did not run
 * Errors: UNSUPPORTED (names every property that refuses, with its first case), OUT_OF_MEMORY, BUILD, DRIVER,
 * HOST_MEMORY. */
weir_status wi_self_check_run(weir_context *context, wi_queue *queue, wi_self_check *report);

/** Compares a device's words with the host's: words[row * WI_SELF_CHECK_CASES + case]. Pure; fills `findings` only.
 * Returns 1 if nothing refuses. */
int wi_self_check_compare(const uint32_t *words, wi_self_check *report);

/** Writes the words that a faultless device gives, WI_SELF_CHECK_BYTES. */
void wi_self_check_expect(uint32_t *words);

/** "a + b", "log(c)", ...; "?" outside. */
const char *wi_self_check_row_name(unsigned row);

/** Appends one line a property. A NULL text is ignored. */
void wi_self_check_write(const wi_self_check *report, weir_text *text);

#endif
