/* What the numbers of `weir loop` teach. */
#ifndef WEIR_TOOLS_LOOP_LESSON_H
#define WEIR_TOOLS_LOOP_LESSON_H

#include "loop_report.h"

/** Prints sentences on stdout, after an empty line; nothing if no form finished. */
void loop_lesson_print(const loop_report *report);

#endif
