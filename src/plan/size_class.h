/* Classes of size: sixteen from each power of two of the smallest granule to the next. */
#ifndef WI_PLAN_SIZE_CLASS_H
#define WI_PLAN_SIZE_CLASS_H

#include "base/bits.h"

#include <stdint.h>

#define WI_CLASS_SHIFT 4
#define WI_CLASS_COLUMNS 16u /* 1 << WI_CLASS_SHIFT */
#define WI_CLASS_ROWS \
    53u /* sizes of 2^64 - 1 in units of 2^8 have 56 bits, the first row has the smallest four */
#define WI_CLASSES (WI_CLASS_ROWS * WI_CLASS_COLUMNS)
#define WI_CLASS_UNIT_SHIFT 8 /* log2 of the smallest granule */

typedef struct wi_size_class {
    unsigned row, column;
} wi_size_class;

/* Which classes have any.
 * Invariant: bit r of rows is set == columns[r] != 0 */
typedef struct wi_class_marks {
    uint64_t rows;
    uint16_t columns[WI_CLASS_ROWS];
} wi_class_marks;

static inline wi_size_class wi_class_of(uint64_t bytes)
{
    const uint64_t units = bytes >> WI_CLASS_UNIT_SHIFT;
    unsigned high;

    if (units < WI_CLASS_COLUMNS) return (wi_size_class){0, (unsigned)units};
    high = wi_highest_bit(units);
    return (wi_size_class){high - WI_CLASS_SHIFT + 1,
                           (unsigned)(units >> (high - WI_CLASS_SHIFT)) & (WI_CLASS_COLUMNS - 1)};
}

static inline unsigned wi_class_number(wi_size_class at)
{
    return at.row * WI_CLASS_COLUMNS + at.column;
}

static inline wi_size_class wi_class_at(unsigned number)
{
    return (wi_size_class){number / WI_CLASS_COLUMNS, number % WI_CLASS_COLUMNS};
}

static inline void wi_class_mark(wi_class_marks *marks, wi_size_class at)
{
    marks->columns[at.row] |= (uint16_t)(1U << at.column);
    marks->rows |= UINT64_C(1) << at.row;
}

static inline void wi_class_unmark(wi_class_marks *marks, wi_size_class at)
{
    marks->columns[at.row] &= (uint16_t) ~(1U << at.column);
    if (marks->columns[at.row] == 0) marks->rows &= ~(UINT64_C(1) << at.row);
}

static inline int wi_class_is_marked(const wi_class_marks *marks, wi_size_class at)
{
    return marks->columns[at.row] >> at.column & 1;
}

/** Finds the next marked class above *at; returns 0 if there is none. */
static inline int wi_class_next(const wi_class_marks *marks, wi_size_class *at)
{
    uint64_t columns = marks->columns[at->row] & ~((UINT64_C(2) << at->column) - 1);

    if (columns == 0) {
        const uint64_t rows = marks->rows & ~((UINT64_C(2) << at->row) - 1);
        if (rows == 0) return 0;
        at->row = wi_lowest_bit(rows);
        columns = marks->columns[at->row];
    }
    at->column = wi_lowest_bit(columns);
    return 1;
}

#endif
