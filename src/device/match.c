/* Looking for words in the texts of a record.
 *
 * Names of chips are short ("PALM", "gfx902"), so they are looked for as whole words: gfx902 is not part of gfx9020.
 * Texts are bytes; only ASCII letters have two cases. No state.
 */
#include "device/match.h"

#include <string.h>

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c; }

static int is_word(char c)
{
    int l = lower(c);
    return (l >= 'a' && l <= 'z') || (l >= '0' && l <= '9');
}

static int starts_with(const char *text, const char *part)
{
    for (; *part != '\0'; part++, text++)
        if (lower(*text) != lower(*part)) return 0;
    return 1;
}

int wi_text_contains(const char *text, const char *part)
{
    do {
        if (starts_with(text, part)) return 1;
    } while (*text++ != '\0');
    return 0;
}

int wi_text_has_word(const char *text, const char *word)
{
    size_t bytes = strlen(word);

    if (bytes == 0) return 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (!starts_with(at, word)) continue;
        if (at != text && is_word(at[-1]) && is_word(word[0])) continue;
        if (is_word(at[bytes]) && is_word(word[bytes - 1])) continue;
        return 1;
    }
    return 0;
}

int wi_record_matches(const weir_record *record, wi_match_field field, const char *word)
{
    static const struct {
        wi_match_field field;
        wi_property_id id;
    } texts[] = {
        {WI_MATCH_NAME, WI_PROPERTY_NAME},       {WI_MATCH_NAME, WI_PROPERTY_BOARD_NAME_AMD},
        {WI_MATCH_VENDOR, WI_PROPERTY_VENDOR},   {WI_MATCH_PLATFORM, WI_PROPERTY_PLATFORM_NAME},
        {WI_MATCH_VERSION, WI_PROPERTY_VERSION}, {WI_MATCH_VERSION, WI_PROPERTY_DRIVER_VERSION},
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if ((field == WI_MATCH_ANY || field == texts[i].field) &&
            wi_text_has_word(wi_record_get_text(record, texts[i].id), word))
            return 1;
    return 0;
}
