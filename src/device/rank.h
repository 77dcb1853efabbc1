/* Ranking: the terms whose weighted sum decides between devices that meet every need. */
#ifndef WI_DEVICE_RANK_H
#define WI_DEVICE_RANK_H

#include "device/record.h"

#define WI_TERMS 8
#define WI_DOUBTS_MAX 16

/* What is wrong with a device that is not rejected. */
typedef struct wi_doubts {
    const char *texts[WI_DOUBTS_MAX]; /* static */
    size_t count;
    int is_unsound; /* 1: it goes behind the sound devices of its class */
} wi_doubts;

/** Looks for broken compilers, embedded profiles, absurd numbers, and quirks of a driver that is not sound. */
void wi_doubts_find(const weir_record *record, wi_doubts *out);

/** Computes the value of every term.
 * is_one_maker   1: units and clocks of the rivals can be compared */
void wi_rank_values(const weir_record *record, int is_one_maker, double values[WI_TERMS]);

/** Name, weight and meaning of term i < WI_TERMS. */
const char *wi_rank_name(size_t i);
double wi_rank_weight(size_t i);
const char *wi_rank_meaning(size_t i);

/** How good an implementation is by which one device can be had: 3 its maker's, 2 rusticl, 1 PoCL, 0 Clover and Beignet. */
int wi_rank_driver(const weir_record *record);

#endif
