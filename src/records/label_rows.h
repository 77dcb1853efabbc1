/* How tables of labels are written: a macro a kind of row, each an initializer of wi_label. Ids are those of
 * wi_property_id without WI_PROPERTY_. */
#ifndef WI_RECORDS_LABEL_ROWS_H
#define WI_RECORDS_LABEL_ROWS_H

#include "records/label.h"

/* A reader with its argument. */
#define WI_ROW_READ(Label, Reader, Id, Argument)                         \
    {                                                                    \
        WI_IN_ANY, Label, Reader, WI_PROPERTY_##Id, (unsigned)(Argument) \
    }

/* A value of the property's own kind. */
#define WI_ROW(Label, Id) WI_ROW_READ(Label, wi_label_plain, Id, 0)

/* Bits that follow in a section, a line each; and one of them. */
#define WI_ROW_FLAGS(Label, Id, Section) WI_ROW_READ(Label, wi_label_flags, Id, Section)
#define WI_ROW_BIT(Section, Label, Id, Bit)                 \
    {                                                       \
        Section, Label, wi_label_bit, WI_PROPERTY_##Id, Bit \
    }

/* Only a section, and what is known and not kept. */
#define WI_ROW_HEADING(Label, Section) WI_ROW_READ(Label, wi_label_heading, NAME, Section)
#define WI_ROW_NOTHING(Label) WI_ROW_READ(Label, wi_label_nothing, NAME, 0)

/* X(label, id) for the types of vectors; X(section, id) for the kinds of floating point. */
#define WI_VECTOR_TYPES(X)                                                               \
    X("char", CHAR), X("short", SHORT), X("int", INT), X("long", LONG), X("half", HALF), \
        X("float", FLOAT), X("double", DOUBLE)
#define WI_FP_TYPES(X)                                                \
    X(WI_IN_HALF, HALF_FP_CONFIG), X(WI_IN_SINGLE, SINGLE_FP_CONFIG), \
        X(WI_IN_DOUBLE, DOUBLE_FP_CONFIG)

#endif
