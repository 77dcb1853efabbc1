/* Readers of values that state several properties at once. Each returns 1 if the value is what its row says it is. */
#ifndef WI_RECORDS_COMPOUND_H
#define WI_RECORDS_COMPOUND_H

#include "records/label.h"

/** "64, Little-Endian": the row's property, and the order of bytes. */
int wi_compound_address_bits(wi_table *table, const wi_label *label, wi_span value);

/** "7.5", "16 / 16   (n/a)": two properties, the second is label->argument. */
int wi_compound_pair(wi_table *table, const wi_label *label, wi_span value);

/** "16384x16384 pixels": as many properties as label->argument says, one behind the other in the table. */
int wi_compound_extents(wi_table *table, const wi_label *label, wi_span value);

/** A PCI address; NVIDIA's slot has device and function in one number. */
int wi_compound_topology_nv(wi_table *table, const wi_label *label, wi_span value);

#endif
