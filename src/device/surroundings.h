/* What around the process decides which devices it sees: variables, device nodes, containers. For reports only. */
#ifndef WI_DEVICE_SURROUNDINGS_H
#define WI_DEVICE_SURROUNDINGS_H

#include <weir/text.h>

#include <stddef.h>

/** Appends the environment variables that choose drivers or devices, a line each. */
void wi_surroundings_variables(weir_text *text);

/** Appends the names of variables that hide devices, separated by commas; returns how many there are. text may be NULL. */
size_t wi_surroundings_masks(weir_text *text);

/** Appends a line if a device node is closed to this process, with the group to join; returns 1 if it is. */
size_t wi_surroundings_node(const char *path, weir_text *text);

/** Appends the device nodes of GPUs that are closed, or how many are open. */
void wi_surroundings_nodes(weir_text *text);

/** Appends a line for each kind of container or sandbox around the process, and what lets GPUs in. */
void wi_surroundings_container(weir_text *text);

/** Appends user, groups and security context of the process. */
void wi_surroundings_process(weir_text *text);

#endif
