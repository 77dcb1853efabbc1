/* Places of bits in words, without a loop. */
#ifndef WI_BASE_BITS_H
#define WI_BASE_BITS_H

#include <stdint.h>
#include <string.h>

/* Returns the place of the one bit that is set, by a de Bruijn sequence. */
static inline unsigned wi_bit_place(uint64_t bit)
{
    static const unsigned char places[64] = {
        0,  1,  2,  53, 3,  7,  54, 27, 4,  38, 41, 8,  34, 55, 48, 28, 62, 5,  39, 46, 44, 42,
        22, 9,  24, 35, 59, 56, 49, 18, 29, 11, 63, 52, 6,  26, 37, 40, 33, 47, 61, 45, 43, 21,
        23, 58, 17, 10, 51, 25, 36, 32, 60, 20, 57, 16, 50, 31, 19, 15, 30, 14, 13, 12};

    return places[bit * UINT64_C(0x022fdd63cc95386d) >> 58];
}

/** Returns the place of the lowest bit that is set; bits != 0. */
static inline unsigned wi_lowest_bit(uint64_t bits) { return wi_bit_place(bits & (~bits + 1)); }

/** Returns the place of the highest bit that is set; 0 < bits < 2^63. */
static inline unsigned wi_highest_bit(uint64_t bits)
{
    /* The exponent of a double: without the bit below the highest one rounding never carries. */
    const double value = (double)(int64_t)(bits & ~(bits >> 1));
    uint64_t image;

    memcpy(&image, &value, sizeof image);
    return (unsigned)(image >> 52) - 1023;
}

#endif
