/* The texts of cl/ inside the library: the bytes of the files, ended for use as strings. */
#include "cl/embedded.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(embedded, .timeout = 120);

Test(embedded, has_the_bytes_of_the_files)
{
    size_t compared = 0;

    for (const wi_embedded *text = wi_embedded_texts; text->name != NULL; text++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", getenv("WEIR_CL_DIR"), text->name);
        FILE *file = fopen(path, "rb");
        if (file == NULL) continue; /* generated */
        char *bytes = malloc(text->size + 1);
        cr_assert(bytes != NULL);
        cr_assert(fread(bytes, 1, text->size + 1, file) == text->size, "%s: size", text->name);
        cr_assert(memcmp(bytes, text->bytes, text->size) == 0, "%s: bytes", text->name);
        fclose(file);
        free(bytes);
        compared++;
    }
    cr_assert(compared > 0);
}

Test(embedded, ends_every_text_with_a_zero)
{
    for (const wi_embedded *text = wi_embedded_texts; text->name != NULL; text++) {
        cr_assert(text->bytes[text->size] == 0, "%s: no 0 after %zu bytes", text->name, text->size);
        cr_assert(memchr(text->bytes, 0, text->size) == NULL, "%s: a 0 within", text->name);
    }
}
