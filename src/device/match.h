/* Rows that match devices by words in their texts, as the tables of classes and quirks use them. */
#ifndef WI_DEVICE_MATCH_H
#define WI_DEVICE_MATCH_H

#include "device/record.h"

/* Which texts a row looks into. */
typedef enum wi_match_field {
    WI_MATCH_NAME,     /* device name and AMD's board name */
    WI_MATCH_PLATFORM, /* platform name */
    WI_MATCH_VENDOR,   /* device vendor */
    WI_MATCH_VERSION,  /* device version and driver version */
    WI_MATCH_ANY       /* all of them */
} wi_match_field;

/** 1 if `word` stands in the text, in any case of letters, and not inside a longer word: a letter or digit must not
 * come before it, nor after it unless `word` itself ends in another character. */
int wi_text_has_word(const char *text, const char *word);

/** 1 if `part` occurs in the text, in any case of (ASCII) letters; an empty part occurs everywhere. */
int wi_text_contains(const char *text, const char *part);

int wi_record_matches(const weir_record *record, wi_match_field field, const char *word);

#endif
