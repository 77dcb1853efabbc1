/* The texts of cl/ inside the library: complete, and ended for use as strings. */
#include "cl/embedded.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(embedded, .timeout = 10);

Test(embedded, ends_every_text_with_a_zero)
{
    for (const wi_embedded *text = wi_embedded_texts; text->name != NULL; text++) {
        cr_assert(text->bytes[text->size] == 0, "%s: no 0 after %zu bytes", text->name, text->size);
        cr_assert(memchr(text->bytes, 0, text->size) == NULL, "%s: a 0 within", text->name);
    }
}
