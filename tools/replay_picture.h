/* The picture of `weir replay`: what each strategy reserves and what is in use of it, over the events. */
#ifndef WEIR_TOOLS_REPLAY_PICTURE_H
#define WEIR_TOOLS_REPLAY_PICTURE_H

#include "replay_run.h"

#include <weir/text.h>

/** Appends an SVG document: a chart for each strategy, all on one scale. trace: its name, for the heading.
 * The caller looks at the text's status. */
void replay_picture_draw(weir_text *picture, const replay_run *run, const char *trace);

#endif
