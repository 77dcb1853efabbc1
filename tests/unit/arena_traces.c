/* Each maker is a small program's pattern: what is alive together, what goes in which order, what changes from turn to
 * turn. Random numbers are of the test's own, so that figures do not depend on a library. */
#include "arena_traces.h"

#include <stdlib.h>
#include <string.h>

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)

static void *grown(void *memory, size_t *room, size_t least, size_t item_bytes)
{
    if (least <= *room) return memory;
    *room = least * 2 + 64;
    memory = realloc(memory, *room * item_bytes);
    if (memory == NULL) abort();
    return memory;
}

static void add_step(made_trace *trace, uint64_t bytes, uint32_t slot)
{
    trace->steps = grown(trace->steps, &trace->room, trace->count + 1, sizeof *trace->steps);
    trace->steps[trace->count++] = (trace_step){bytes, slot};
}

static uint32_t take(made_trace *trace, uint64_t bytes)
{
    uint32_t slot;

    if (trace->free_count != 0) {
        slot = trace->free_slots[--trace->free_count];
    } else {
        size_t room = trace->slot_count;
        slot = trace->slot_count++;
        if ((slot & (slot - 1)) == 0) { /* doubles at powers of two */
            room = slot == 0 ? 1 : (size_t)slot * 2;
            trace->sizes = realloc(trace->sizes, room * sizeof *trace->sizes);
            if (trace->sizes == NULL) abort();
        }
    }
    add_step(trace, bytes, slot);
    trace->sizes[slot] = bytes;
    trace->live_bytes += bytes;
    if (trace->live_bytes > trace->peak_bytes) trace->peak_bytes = trace->live_bytes;
    trace->alloc_count++;
    trace->alloc_bytes += bytes;
    return slot;
}

static void give(made_trace *trace, uint32_t slot)
{
    add_step(trace, 0, slot);
    trace->live_bytes -= trace->sizes[slot];
    trace->sizes[slot] = 0;
    trace->free_slots = grown(trace->free_slots, &trace->free_room, trace->free_count + 1,
                              sizeof *trace->free_slots);
    trace->free_slots[trace->free_count++] = slot;
}

/* What was taken until now was there before. */
static void end_live(made_trace *trace)
{
    trace->live_count = trace->count;
    trace->alloc_count = trace->alloc_bytes = 0;
}

static uint64_t draw(made_trace *trace, uint64_t below)
{
    trace->random ^= trace->random << 13;
    trace->random ^= trace->random >> 7;
    trace->random ^= trace->random << 17;
    return (trace->random >> 11) % below;
}

/* Uniform in the logarithm between two powers of two. */
static uint64_t draw_size(made_trace *trace, unsigned least_shift, unsigned most_shift)
{
    const unsigned shift = least_shift + (unsigned)draw(trace, most_shift - least_shift);
    return (UINT64_C(1) << shift) + draw(trace, UINT64_C(1) << shift);
}

/* A transformer's training step: weights stay, activations of a forward pass live until the backward pass, whose
 * temporaries come and go; the length of the texts varies from step to step. */
static void train(made_trace *trace, unsigned least_length, unsigned layers, uint64_t width)
{
    enum { KEPT = 9, STEPS = 60 };
    uint32_t kept[64][KEPT];
    uint32_t gradients[64];

    for (unsigned layer = 0; layer < layers; ++layer)
        for (unsigned copy = 0; copy < 3; ++copy) { /* weights and two moments */
            for (unsigned k = 0; k < 4; ++k) (void)take(trace, width * width * 4);
            for (unsigned k = 0; k < 2; ++k) (void)take(trace, width * width * 16);
            for (unsigned k = 0; k < 4; ++k) (void)take(trace, width * 4);
        }
    end_live(trace);
    for (unsigned step = 0; step < STEPS; ++step) {
        const uint64_t length = least_length + draw(trace, 1024 - least_length + 1);
        const uint64_t row = length * width * 4 * 4; /* a batch of 4 */

        for (unsigned layer = 0; layer < layers; ++layer) {
            uint32_t scratch;
            for (unsigned k = 0; k < 5; ++k) kept[layer][k] = take(trace, row);
            scratch = take(trace, length * length * 16 * 4 * 4);
            kept[layer][5] = take(trace, length * length * 16 * 4 * 4);
            give(trace, scratch);
            kept[layer][6] = take(trace, 4 * row);
            scratch = take(trace, 4 * row);
            kept[layer][7] = take(trace, 4 * row);
            give(trace, scratch);
            kept[layer][8] = take(trace, length * 16);
        }
        for (unsigned layer = layers; layer-- > 0;) {
            uint32_t flow = take(trace, row);
            gradients[layer] = take(trace, width * width * 16);
            for (unsigned k = KEPT; k-- > 0;) {
                const uint32_t scratch = take(trace, trace->sizes[kept[layer][k]]);
                give(trace, kept[layer][k]);
                give(trace, flow);
                flow = scratch;
            }
            give(trace, flow);
        }
        for (unsigned layer = 0; layer < layers; ++layer) give(trace, gradients[layer]);
    }
}

static void make_training(made_trace *trace) { train(trace, 256, 24, 1024); }

static void make_training_small(made_trace *trace) { train(trace, 768, 6, 128); }

/* Texts of many lengths are continued together; each keeps two blocks a layer that grow by sixteen tokens at a time, the
 * new one being there before the old one goes. */
static void make_inference(made_trace *trace)
{
    enum { LAYERS = 16, TEXTS = 12, TURNS = 1200 };
    uint32_t cache[TEXTS][LAYERS][2];
    uint64_t length[TEXTS] = {0};

    for (unsigned k = 0; k < 200; ++k) (void)take(trace, 4 * MIB + k % 7 * MIB);
    end_live(trace);
    for (unsigned turn = 0; turn < TURNS; ++turn) {
        const unsigned i = (unsigned)draw(trace, TEXTS);
        uint64_t next = length[i] + 16;
        const int is_new = length[i] == 0;
        const int is_last = !is_new && (length[i] > 2000 || draw(trace, 40) == 0);

        if (is_new) next = 64 + draw(trace, 1000);
        for (unsigned layer = 0; layer < LAYERS; ++layer) {
            const uint32_t scratch = take(trace, next * 4096);
            for (unsigned k = 0; k < 2; ++k) {
                const uint32_t old = cache[i][layer][k];
                if (is_last)
                    give(trace, old);
                else
                    cache[i][layer][k] = take(trace, next * 2048);
                if (!is_new && !is_last) give(trace, old);
            }
            give(trace, scratch);
        }
        length[i] = is_last ? 0 : next;
    }
}

/* Pictures of any size through a network that halves them, with a workspace for each layer. */
static void make_pictures(made_trace *trace)
{
    enum { LAYERS = 20, PICTURES = 400 };

    for (unsigned k = 0; k < 60; ++k) (void)take(trace, 64 * KIB << k % 6);
    end_live(trace);
    for (unsigned picture = 0; picture < PICTURES; ++picture) {
        uint64_t side = 256 + draw(trace, 1500);
        uint64_t channels = 16;
        uint32_t kept[LAYERS];

        for (unsigned layer = 0; layer < LAYERS; ++layer) {
            const uint32_t workspace = take(trace, side * side * channels / 4 * 9 + 1000);
            kept[layer] = take(trace, side * side * channels * 4);
            give(trace, workspace);
            if (layer % 4 == 3) {
                side = (side + 1) / 2;
                channels *= 2;
            }
        }
        for (unsigned layer = LAYERS; layer-- > 0;) give(trace, kept[layer]);
    }
}

/* Blocks of any size and any lifetime, about so many bytes at a time. */
static void mix(made_trace *trace, unsigned least_shift, unsigned most_shift, uint64_t alive_bytes,
                unsigned turns)
{
    enum { MOST = 65536 };
    uint32_t *slots = malloc(MOST * sizeof *slots);
    size_t count = 0;

    if (slots == NULL) abort();
    while (trace->live_bytes < alive_bytes && count < MOST)
        slots[count++] = take(trace, draw_size(trace, least_shift, most_shift));
    end_live(trace);
    for (unsigned turn = 0; turn < turns; ++turn) {
        const uint64_t bytes = draw_size(trace, least_shift, most_shift);
        while (count > 0 && (trace->live_bytes + bytes > alive_bytes || count == MOST)) {
            const size_t i = (size_t)draw(trace, count);
            give(trace, slots[i]);
            slots[i] = slots[--count];
        }
        slots[count++] = take(trace, bytes);
    }
    free(slots);
}

static void make_mix_tiny(made_trace *trace) { mix(trace, 6, 16, 2 * MIB, 50000); }
static void make_mix_small(made_trace *trace) { mix(trace, 10, 23, 88 * MIB, 50000); }
static void make_mix_large(made_trace *trace) { mix(trace, 12, 26, 4096 * MIB, 50000); }

/* A loop that needs the same bytes in other pieces from turn to turn. */
static void make_turns(made_trace *trace)
{
    enum { TURNS = 1500 };
    static const uint64_t pieces[] = {100 * MIB, 200 * MIB, 50 * MIB, 160 * MIB};
    uint32_t slots[16];

    (void)take(trace, 300 * MIB);
    end_live(trace);
    for (unsigned turn = 0; turn < TURNS; ++turn) {
        const uint64_t bytes = pieces[turn % 4];
        const unsigned count = (unsigned)(800 * MIB / bytes);
        for (unsigned i = 0; i < count; ++i) slots[i] = take(trace, bytes);
        for (unsigned i = 0; i < count; ++i) give(trace, slots[i]);
    }
}

/* The same few small blocks, again and again. */
static void make_loop(made_trace *trace)
{
    for (unsigned turn = 0; turn < 20000; ++turn) {
        const uint32_t a = take(trace, 16 * KIB);
        const uint32_t b = take(trace, 100 + turn % 3 * 4096);
        const uint32_t c = take(trace, 16 * KIB);
        give(trace, a);
        give(trace, b);
        give(trace, c);
    }
}

static const struct maker {
    const char *name;
    void (*make)(made_trace *trace);
} makers[] = {
    {"training", make_training},
    {"training, small", make_training_small},
    {"inference", make_inference},
    {"pictures", make_pictures},
    {"mix, tiny", make_mix_tiny},
    {"mix, small", make_mix_small},
    {"mix, large", make_mix_large},
    {"turns", make_turns},
    {"loop", make_loop},
};

int made_trace_make(made_trace *trace, unsigned i)
{
    memset(trace, 0, sizeof *trace);
    if (i >= sizeof makers / sizeof makers[0]) return 0;
    trace->name = makers[i].name;
    trace->random = UINT64_C(88172645463325252) + i;
    makers[i].make(trace);
    return 1;
}

void made_trace_free(made_trace *trace)
{
    free(trace->steps);
    free(trace->free_slots);
    free(trace->sizes);
}
