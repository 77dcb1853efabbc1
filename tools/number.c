/* Reads numbers by hand instead of through strtoull(), which takes signs, blanks, other bases and the locale's
 * decimal point. What does not fit is refused, never cut. No state, safe from any thread. */
#include "number.h"

#include <stddef.h>

/* Reads leading digits; returns where they end, or NULL if there are none or the value passes UINT64_MAX. */
static const char *read_digits(const char *text, uint64_t *out)
{
    const char *at = text;
    uint64_t value = 0;

    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');

        if (value > (UINT64_MAX - digit) / 10) return NULL;
        value = value * 10 + digit;
    }
    *out = value;
    return at == text ? NULL : at;
}

int number_parse(const char *text, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;
    const char *end = read_digits(text, &value);

    if (end == NULL || *end != '\0' || value > max) return 0;
    *out = value;
    return 1;
}

int number_parse_size(const char *text, uint64_t *out)
{
    static const char suffixes[] = "KMG";
    uint64_t value = 0;
    unsigned shift = 0;
    const char *end = read_digits(text, &value);

    if (end == NULL) return 0;
    for (unsigned i = 0; *end != '\0' && suffixes[i] != '\0'; i++) {
        if (*end == suffixes[i]) {
            shift = 10 * (i + 1);
            end++;
            break;
        }
    }
    if (*end != '\0' || value > UINT64_MAX >> shift) return 0;
    *out = value << shift;
    return 1;
}

int number_parse_percentage(const char *text, double *out)
{
    uint64_t whole = 0;
    double percent = 0;
    double weight = 1;
    const char *end = read_digits(text, &whole);

    if (end == NULL) return 0;
    percent = (double)whole;
    if (*end == '.') {
        if (end[1] < '0' || end[1] > '9') return 0;
        for (end++; *end >= '0' && *end <= '9'; end++) {
            weight /= 10;
            percent += weight * (*end - '0');
        }
    }
    if (end[0] != '%' || end[1] != '\0' || !(percent > 0 && percent <= 100)) return 0;
    *out = percent / 100;
    return 1;
}
