/* The picture of `weir loop`: memory over the steps, a curve for each form. */
#ifndef WEIR_TOOLS_LOOP_PICTURE_H
#define WEIR_TOOLS_LOOP_PICTURE_H

#include "loop_curve.h"
#include "loop_report.h"

#include <weir/text.h>

/** Appends an SVG document: bytes in use and what the tape keeps of them, bytes reserved, a legend with the numbers.
 * report   of the sampled runs
 * curves   as many as report->count
 * The caller looks at the text's status. */
void loop_picture_draw(weir_text *picture, const loop_report *report, const loop_curve *curves);

#endif
