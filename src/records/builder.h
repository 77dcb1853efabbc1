/* Platforms and devices as a reader finds them, one after the other. */
#ifndef WI_RECORDS_BUILDER_H
#define WI_RECORDS_BUILDER_H

#include "records/note.h"
#include "records/value.h"

#define WI_DEVICES_MAX 1024 /* platforms too; a text with more is absurd */
#define WI_ANNOUNCED_NONE SIZE_MAX

/* One platform of the text. */
typedef struct wi_text_platform {
    weir_record *record; /* only the platform's properties */
    size_t announced;    /* devices the text announces, WI_ANNOUNCED_NONE if it does not say */
    size_t shown;        /* devices read */
    size_t values;       /* properties set */
} wi_text_platform;

/* What one output in a text says.
 *
 * Invariants: platform_count, device_count <= WI_DEVICES_MAX; the sum of platforms[i].shown is device_count;
 * current < platform_count, or no platform is current; clashes has a bit for each property that the current device was
 * given two values of. */
typedef struct wi_builder {
    wi_text_platform *platforms;
    size_t platform_count;
    size_t platform_room;
    size_t announced; /* platforms */
    size_t listed;    /* platforms whose devices were begun */
    size_t current;   /* platform of the devices that follow, SIZE_MAX for none */
    weir_record **devices;
    size_t device_count;
    size_t device_room;
    int has_device;    /* the last device still takes values */
    size_t values;     /* properties set, of all */
    wi_span death;     /* line that says how the program died; bytes 0 for none */
    size_t odd_lines;  /* lines that are none of the format's */
    size_t refused;    /* values that do not fit their property */
    size_t open_flags; /* FLAGS whose bits are being read, WI_PROPERTY_COUNT for none */
    int has_open_list; /* the last list of extensions ends with the text */
    int is_full;       /* more platforms or devices than are kept */
    int is_cut;        /* a reader knows that the text breaks off */
    int is_ended; /* what stands behind the last device was read, or nothing does in this format */
    weir_record *scratch; /* where a second value is read; NULL until there was one */
    unsigned char clashes[WI_PROPERTY_COUNT];
    wi_notes notes;
    weir_status status; /* the first failure: HOST_MEMORY */
} wi_builder;

/** Makes an empty builder; NULL for want of memory, recorded. */
wi_builder *wi_builder_create(void);

/** NULL is allowed. */
void wi_builder_destroy(wi_builder *builder);

/** Says how many platforms, or devices of the platform named last, the text announces. */
void wi_builder_announce_platforms(wi_builder *builder, uint64_t count);
void wi_builder_announce_devices(wi_builder *builder, uint64_t count);

/** Begins the next platform, whose properties follow. */
void wi_builder_begin_platform(wi_builder *builder);

/** Begins the next device of the current platform, or of one without a name if there is none. */
void wi_builder_begin_device(wi_builder *builder);

/** Ends the current device: what follows belongs to no device. */
void wi_builder_end_device(wi_builder *builder);

/** Returns the device that takes values, beginning one if there is none; NULL if the text has too many. */
weir_record *wi_builder_device(wi_builder *builder);

/** Sets a property of the current platform or device from a value of the text. A value that does not fit, and a second
 * value for the same property, are left out and noted.
 * Returns 1 if the value fits. */
int wi_builder_set(wi_builder *builder, wi_property_id id, wi_span value, const wi_line *line);

/** Sets a number that the reader has worked out itself. */
void wi_builder_set_number(wi_builder *builder, wi_property_id id, uint64_t number,
                           const wi_line *line);

/** Begins FLAGS whose bits follow, a line each. */
void wi_builder_begin_flags(wi_builder *builder, wi_property_id id, const wi_line *line);

/** Adds a bit to FLAGS that were begun; `yes` 0 adds nothing. */
void wi_builder_set_bit(wi_builder *builder, wi_property_id id, uint64_t bit, int yes);

/** Leaves the FLAGS that were begun out, for a line among their bits that cannot be read. */
void wi_builder_spoil_flags(wi_builder *builder, const wi_line *line);

/** Notes a line that is none of the format's. */
void wi_builder_odd_line(wi_builder *builder, const wi_line *line);

/** Notes a value that does not fit. */
void wi_builder_refuse(wi_builder *builder, const char *what, const wi_line *line);

/** 1 if a line says that the program died, and remembers it. */
int wi_builder_is_death(wi_builder *builder, const wi_line *line);

/** Ends the output: properties that follow from others, indices, notes on what is missing. */
void wi_builder_finish(wi_builder *builder);

/** 3: everything announced is there; 2: some devices; 1: platforms only; 0: nothing. */
int wi_builder_rank(const wi_builder *builder);

#endif
