/* PCI addresses and UUIDs: several extensions state the same fact in different shapes.
 *
 * KHR gives domain, bus, device and function; NVIDIA a bus, a slot that packs device and function (slot >> 3, slot & 7)
 * and, in newer drivers, a domain; AMD bus, device and function. No state.
 */
#include "device/identity.h"

#include <stdio.h>
#include <string.h>

int wi_record_get_pci(const weir_record *record, wi_pci *out)
{
    uint64_t n[8];

    memset(out, 0, sizeof *out);
    if (wi_record_get_numbers(record, WI_PROPERTY_PCI_BUS_INFO_KHR, n) == 4) {
        out->domain = (uint32_t)n[0];
        out->bus = (uint32_t)n[1];
        out->device = (uint32_t)n[2];
        out->function = (uint32_t)n[3];
        out->has_domain = 1;
        return 1;
    }
    if (wi_record_get_state(record, WI_PROPERTY_PCI_BUS_ID_NV) == WEIR_PROPERTY_VALUE &&
        wi_record_get_state(record, WI_PROPERTY_PCI_SLOT_ID_NV) == WEIR_PROPERTY_VALUE) {
        uint64_t slot = wi_record_get_number(record, WI_PROPERTY_PCI_SLOT_ID_NV, 0);
        out->has_domain =
            wi_record_get_state(record, WI_PROPERTY_PCI_DOMAIN_ID_NV) == WEIR_PROPERTY_VALUE;
        out->domain = (uint32_t)wi_record_get_number(record, WI_PROPERTY_PCI_DOMAIN_ID_NV, 0);
        out->bus = (uint32_t)(wi_record_get_number(record, WI_PROPERTY_PCI_BUS_ID_NV, 0) & 0xff);
        out->device = (uint32_t)((slot >> 3) & 0x1f);
        out->function = (uint32_t)(slot & 7);
        return 1;
    }
    if (wi_record_get_numbers(record, WI_PROPERTY_TOPOLOGY_AMD, n) == 3) {
        out->bus = (uint32_t)n[0];
        out->device = (uint32_t)n[1];
        out->function = (uint32_t)n[2];
        return 1;
    }
    return 0;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* Reads 1 to `most` digits that `end` must follow; steps past it. */
static int hex_field(const char **text, unsigned most, char end, uint32_t *out)
{
    unsigned count = 0;

    *out = 0;
    for (; count < most && hex_digit(**text) >= 0; count++)
        *out = *out * 16 + (uint32_t)hex_digit(*(*text)++);
    if (count == 0 || **text != end) return 0;
    if (end != '\0') (*text)++;
    return 1;
}

int wi_pci_parse(const char *text, wi_pci *out)
{
    const char *colon = strchr(text, ':');

    memset(out, 0, sizeof *out);
    if (colon != NULL && strchr(colon + 1, ':') != NULL) {
        if (!hex_field(&text, 8, ':', &out->domain)) return 0;
        out->has_domain = 1;
    }
    return hex_field(&text, 2, ':', &out->bus) && hex_field(&text, 2, '.', &out->device) &&
           hex_field(&text, 1, '\0', &out->function) && out->device < 32 && out->function < 8;
}

int wi_pci_equal(const wi_pci *a, const wi_pci *b)
{
    return a->domain == b->domain && a->bus == b->bus && a->device == b->device &&
           a->function == b->function;
}

char *wi_pci_format(const wi_pci *pci, char buffer[WI_PCI_TEXT_BYTES])
{
    snprintf(buffer, WI_PCI_TEXT_BYTES, "%04x:%02x:%02x.%x", (unsigned)pci->domain,
             (unsigned)pci->bus, (unsigned)pci->device, (unsigned)pci->function);
    return buffer;
}

int wi_uuid_parse(const char *text, char digits[WI_UUID_DIGITS + 1])
{
    size_t count = 0;

    for (; *text != '\0'; text++) {
        if (*text == '-' && count > 0 && text[1] != '\0') continue;
        if (hex_digit(*text) < 0 || count == WI_UUID_DIGITS) return 0;
        digits[count++] = "0123456789abcdef"[hex_digit(*text)];
    }
    digits[count] = '\0';
    return count == WI_UUID_DIGITS;
}
