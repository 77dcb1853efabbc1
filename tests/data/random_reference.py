#!/usr/bin/env python3
"""Writes random_reference.h: philox words, uniforms and normals of chosen elements, worked out in Python integers and
60 decimal digits (mpmath). Shares no text with cl/random.h.

Usage: random_reference.py > random_reference.h
"""

import random

from mpmath import cospi, log, mp, mpf, sinpi, sqrt

mp.dps = 60
LOW = 2**32 - 1


def philox4x32(counter, key, rounds=10):
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(rounds):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & LOW, (p0 >> 32) ^ c3 ^ k1, p0 & LOW
        k0, k1 = (k0 + 0x9E3779B9) & LOW, (k1 + 0xBB67AE85) & LOW
    return c0, c1, c2, c3


def to_float32(numerator, exponent):
    """The integer times 2^exponent, rounded to 24 bits, ties to even."""
    excess = numerator.bit_length() - 24
    if excess <= 0:
        return mpf(numerator) * mpf(2) ** exponent
    quotient, rest = divmod(numerator, 1 << excess)
    half = 1 << (excess - 1)
    if rest > half or (rest == half and quotient & 1):
        quotient += 1
    return mpf(quotient) * mpf(2) ** (exponent + excess)


def element(seed, draw, e):
    quad = e // 4
    counter = (quad & LOW, quad >> 32, draw & LOW, draw >> 32)
    words = philox4x32(counter, (seed & LOW, seed >> 32))
    lane = e % 4
    radius_word, angle_word = words[lane & 2], words[(lane & 2) + 1]
    u = to_float32(2 * (radius_word >> 8) + 1, -25)
    radius = sqrt(-2 * log(u))
    half_turns = mpf(angle_word >> 6) / 2**25
    normal = radius * (sinpi(half_turns) if lane & 1 else cospi(half_turns))
    uniform = mpf(words[lane] >> 8) / 2**24
    return words[lane], float(normal).hex(), float(uniform).hex()


def main():
    source = random.Random(20240229)
    cases = [(1, 0, e) for e in range(32)]
    cases += [(0, 0, 0), (2**64 - 1, 2**64 - 1, 2**64 - 1), (1, 9999, 1023), (1, 2**32, 2**34 + 5)]
    cases += [
        (source.getrandbits(64), source.getrandbits(source.choice((8, 40, 64))), source.getrandbits(source.choice((20, 40, 64))))
        for _ in range(92)
    ]
    print("/* Made by random_reference.py: {seed, draw, element, word, normal, uniform}. */\n/* clang-format off */")
    print("static const struct {\n    uint64_t seed, draw, element;\n    uint32_t word;\n    double normal, uniform;")
    print("} random_reference[] = {")
    for seed, draw, e in cases:
        word, normal, uniform = element(seed, draw, e)
        print(f"    {{{seed}U, {draw}U, {e}U, 0x{word:08x}U, {normal}, {uniform}}},")
    print("};")


main()
