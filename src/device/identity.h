/* What tells one physical device from another: PCI address and UUID. */
#ifndef WI_DEVICE_IDENTITY_H
#define WI_DEVICE_IDENTITY_H

#include "device/record.h"

typedef struct wi_pci {
    uint32_t domain;
    uint32_t bus;
    uint32_t device;
    uint32_t function;
    int has_domain; /* 0: nothing tells the domain; taken as 0 */
} wi_pci;

#define WI_PCI_TEXT_BYTES 32
#define WI_UUID_DIGITS 32

/** Reads the address from the KHR, NV or AMD properties; returns 0 if none has it. */
int wi_record_get_pci(const weir_record *record, wi_pci *out);

/** Reads "0000:01:00.0", or "01:00.0" for domain 0; returns 0 if it is neither. */
int wi_pci_parse(const char *text, wi_pci *out);

int wi_pci_equal(const wi_pci *a, const wi_pci *b);

/** Writes "0000:01:00.0"; returns buffer. */
char *wi_pci_format(const wi_pci *pci, char buffer[WI_PCI_TEXT_BYTES]);

/** Reads 32 hexadecimal digits with any "-" between them into lower case without "-"; returns 0 if it is not that. */
int wi_uuid_parse(const char *text, char digits[WI_UUID_DIGITS + 1]);

#endif
