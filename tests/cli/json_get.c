/* Reads one JSON object from stdin and prints one value of it, so that shell tests need no other JSON reader.
 *
 *   json_get PATH    "forms.0.checksum"; members by name, elements by number; "" is the whole
 * A text, number, true, false or null is printed as it is, an object as its names and an array as its length, each on
 * one line. Exit 1: not one valid JSON object, or nothing at PATH; the reason is on stderr. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *member(json_t *value, const char *name)
{
    char *end = NULL;
    unsigned long index = 0;

    if (json_is_object(value)) return json_object_get(value, name);
    index = strtoul(name, &end, 10);
    return *name != '\0' && *end == '\0' ? json_array_get(value, index) : NULL;
}

static void print_names(json_t *object)
{
    const char *separator = "";
    const char *name = NULL;
    json_t *value = NULL;

    json_object_foreach(object, name, value)
    {
        (void)printf("%s%s", separator, name);
        separator = ",";
    }
}

static void print_value(json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        print_names(value);
        break;
    case JSON_ARRAY:
        (void)printf("%zu", json_array_size(value));
        break;
    case JSON_STRING:
        (void)fputs(json_string_value(value), stdout);
        break;
    case JSON_INTEGER:
        (void)printf("%lld", (long long)json_integer_value(value));
        break;
    case JSON_REAL:
        (void)printf("%.17g", json_real_value(value));
        break;
    default:
        (void)fputs(json_is_null(value) ? "null" : json_is_true(value) ? "true" : "false", stdout);
    }
    (void)putchar('\n');
}

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *root = json_loadf(stdin, JSON_REJECT_DUPLICATES, &error);
    json_t *value = root;
    char path[256];

    if (root == NULL || !json_is_object(root)) {
        (void)fprintf(stderr, "json_get: not a JSON object: %s\n",
                      root == NULL ? error.text : "another kind of value");
        json_decref(root);
        return 1;
    }
    (void)snprintf(path, sizeof path, "%s", argc > 1 ? argv[1] : "");
    for (char *name = strtok(path, "."); name != NULL && value != NULL; name = strtok(NULL, "."))
        value = member(value, name);
    if (value == NULL)
        (void)fprintf(stderr, "json_get: nothing at %s\n", argv[1]);
    else
        print_value(value);
    json_decref(root);
    return value == NULL;
}
