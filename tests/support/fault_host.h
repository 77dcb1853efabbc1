/* The host half of fault.h. */
#ifndef WT_FAULT_HOST_H
#define WT_FAULT_HOST_H

#include "fault.h"

/* The n-th allocation from here fails (0: none does), and with is_open all later ones. */
void wt_host_arm(uint64_t n, int is_open);

/* Returns 1 if an allocation was made to fail since arming. */
int wt_host_disarm(void);

#endif
