/* Blocks are moved while 8 threads enqueue commands on them, on two queues: every byte is what was written last.
 *
 * A pool is limited to 1.05 times what the threads hold. Each thread lets blocks go and takes others, of other sizes, until
 * it holds its share again, and between that stamps its blocks with ever new words; the room between blocks gets too small
 * for the next one, so blocks are moved all the time, under the hands of the other threads. A stamp that was enqueued to a
 * place that a block had left would be missed when the block is read. One block is pinned.
 *
 * A plain program, see support/thread_frame.h; it runs on the null ICD with backed buffers or on any other implementation.
 *
 * usage: compaction [COMPACTIONS [SECONDS]]   until so many, default 200, or failure after so long, default 240
 *        compaction --breaks [SECONDS]        must fail within so long, default 60: for the build without the hold
 */
#include "context/enqueue.h"
#include "mem/pool.h"

#include <weir/weir.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 8
#define SLOTS 96
#define SHARE_BYTES (UINT64_C(4) << 20) /* held by a thread */
#define LEAST_BYTES (UINT64_C(4) << 10)
#define MOST_BYTES (UINT64_C(1) << 20)
#define STAMP_BYTES UINT64_C(256) /* at the start of a block */
#define PINNED_BYTES (UINT64_C(64) << 10)
#define PINNED_WORD UINT64_C(0x5a5a5a5a5a5a5a5a)
#define LIMIT_BYTES ((THREADS * SHARE_BYTES + PINNED_BYTES) / 100 * 105)
#define FAILED 1
#define BROKE 3 /* as it had to */

/* A block that begins with a stamp and else is full of one word. */
typedef struct slot {
    weir_block *block;
    uint64_t bytes;
    uint64_t stamp;
    uint64_t word;
} slot;

/* What the threads share. */
typedef struct shared {
    weir_context *context;
    weir_context *views[2]; /* one a queue */
    weir_block *pinned;
    uint64_t wanted; /* compactions */
    int is_broken;   /* the build without the hold: the first wrong byte is what was to be shown */
    atomic_int is_over;
    atomic_int has_failed;
    _Atomic uint64_t refused; /* requests that found no room */
    _Atomic uint64_t commands;
} shared;

/* One thread's. Invariant: live_bytes == sum of the slots' bytes <= SHARE_BYTES. */
typedef struct worker {
    shared *all;
    weir_context *view; /* on whose queue most of its commands go */
    uint64_t random;
    uint64_t words; /* each used once */
    uint64_t live_bytes;
    uint64_t *data; /* MOST_BYTES to read to */
    slot slots[SLOTS];
} worker;

static int fail(shared *all, const char *what)
{
    if (atomic_exchange(&all->has_failed, 1) == 0) (void)fprintf(stderr, "%s\n", what);
    if (all->is_broken)
        _exit(BROKE); /* no orderly end: memory that others were given may be overwritten */
    atomic_store(&all->is_over, 1);
    return 0;
}

static uint64_t draw(worker *self, uint64_t below)
{
    self->random ^= self->random << 13;
    self->random ^= self->random >> 7;
    self->random ^= self->random << 17;
    return self->random % below;
}

/* The thread's own view, or now and then any, so that queues wait for each other, too. */
static weir_context *choose(worker *self)
{
    return draw(self, 8) == 0 ? self->all->views[draw(self, 2)] : self->view;
}

/* Fills the first bytes of a block with a new word, which is returned. */
static uint64_t fill(worker *self, weir_block *block, uint64_t bytes)
{
    const wi_span place = {block, 0};
    const uint64_t word = ++self->words;

    atomic_fetch_add_explicit(&self->all->commands, 1, memory_order_relaxed);
    if (wi_context_fill(choose(self), &place, bytes, &word, sizeof word) != WEIR_OK)
        (void)fail(self->all, weir_last_error()->message);
    return word;
}

/* Compares what was read with a word. */
static int is_full_of(shared *all, const uint64_t *data, uint64_t bytes, uint64_t word)
{
    char text[160];

    if (data[0] == word && memcmp(data, data + 1, bytes - sizeof word) == 0) return 1;
    (void)snprintf(text, sizeof text, "%llu bytes from %llx to %llx are not all %llx",
                   (unsigned long long)bytes, (unsigned long long)data[0],
                   (unsigned long long)data[bytes / sizeof word - 1], (unsigned long long)word);
    return fail(all, text);
}

/* Reads a whole block and compares it. */
static int verify(worker *self, const slot *at)
{
    const wi_span place = {at->block, 0};

    self->data[0] = 0;
    if (wi_context_read(choose(self), &place, at->bytes, self->data) != WEIR_OK)
        return fail(self->all, weir_last_error()->message);
    return is_full_of(self->all, self->data, STAMP_BYTES, at->stamp) &&
           is_full_of(self->all, self->data + STAMP_BYTES / sizeof at->word,
                      at->bytes - STAMP_BYTES, at->word);
}

static void let_go(worker *self, slot *at)
{
    weir_block_release(at->block);
    self->live_bytes -= at->bytes;
    *at = (slot){NULL, 0, 0, 0};
}

/* Takes a block for an empty slot. A pinned block or a full pool may leave no room: the caller lets something go. */
static int take(worker *self, slot *at)
{
    const uint64_t room = SHARE_BYTES - self->live_bytes;
    uint64_t most = draw(self, 4) == 0 ? MOST_BYTES : MOST_BYTES / 16;
    uint64_t bytes = 0;
    weir_status status = WEIR_OK;

    if (most > room) most = room;
    bytes = (LEAST_BYTES + draw(self, most - LEAST_BYTES + 1)) / 256 * 256;
    status = weir_pool_alloc(weir_context_get_pool(self->all->context),
                             weir_context_get_queue(choose(self)), bytes, "worker", &at->block);
    if (status == WEIR_E_OUT_OF_MEMORY) {
        atomic_fetch_add_explicit(&self->all->refused, 1, memory_order_relaxed);
        return 1;
    }
    if (status != WEIR_OK) return fail(self->all, weir_last_error()->message);
    at->bytes = bytes;
    self->live_bytes += bytes;
    at->word = fill(self, at->block, bytes);
    at->stamp = fill(self, at->block, STAMP_BYTES);
    return !atomic_load(&self->all->is_over);
}

/* Each slot has a chance to be checked and emptied, or is stamped; then the share is filled up. */
static int run_round(worker *self)
{
    const slot pinned = {self->all->pinned, PINNED_BYTES, PINNED_WORD, PINNED_WORD};
    int ok = 1;

    for (unsigned i = 0; ok && i < SLOTS; i++) {
        slot *at = &self->slots[i];
        if (at->block == NULL) continue;
        if (draw(self, 8) == 0) {
            ok = verify(self, at);
            let_go(self, at);
        } else {
            at->stamp = fill(self, at->block, STAMP_BYTES);
        }
    }
    for (unsigned i = 0; ok && i < SLOTS && SHARE_BYTES - self->live_bytes >= LEAST_BYTES; i++) {
        if (self->slots[i].block == NULL) ok = take(self, &self->slots[i]);
    }
    return ok && verify(self, &pinned);
}

static void *run(void *user)
{
    worker *self = user;
    weir_pool_stats stats;

    while (!atomic_load(&self->all->is_over)) {
        if (!run_round(self)) break;
        weir_pool_get_stats(weir_context_get_pool(self->all->context), &stats);
        if (stats.reserved_bytes.peak > LIMIT_BYTES) (void)fail(self->all, "the limit was passed");
        if (stats.compactions >= self->all->wanted) atomic_store(&self->all->is_over, 1);
    }
    for (unsigned i = 0; i < SLOTS; i++) {
        slot *at = &self->slots[i];
        if (at->block == NULL) continue;
        if (!atomic_load(&self->all->has_failed)) (void)verify(self, at);
        let_go(self, at);
    }
    return NULL;
}

static void run_threads(shared *all, double seconds)
{
    static worker workers[THREADS];
    pthread_t threads[THREADS];
    unsigned started = 0;
    struct timespec rest = {0, 50 * 1000 * 1000};

    for (; started < THREADS; started++) {
        worker *self = &workers[started];
        *self = (worker){.all = all,
                         .view = all->views[started % 2],
                         .random = 88172645463325252u + started,
                         .words = (uint64_t)(started + 1) << 48,
                         .data = malloc(MOST_BYTES)};
        if (self->data == NULL || pthread_create(&threads[started], NULL, run, self) != 0) {
            free(self->data);
            if (all->is_broken) _exit(FAILED); /* this is not what had to break */
            (void)fail(all, "cannot start a thread");
            break;
        }
    }
    for (uint64_t rests = 1; !atomic_load(&all->is_over); rests++) {
        (void)nanosleep(&rest, NULL);
        if ((double)rests * 0.05 > seconds) (void)fail(all, "too few compactions in the time");
    }
    while (started > 0) {
        (void)pthread_join(threads[--started], NULL);
        free(workers[started].data);
    }
}

/* Opens the first device, its memory limited. The null device computes nothing, so the self-check is left out. */
static int open_context(weir_system *system, weir_context **out)
{
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
    weir_device *device = NULL;

    options.no_self_check = 1;
    memory.strategy = "adaptive";
    memory.limit_bytes = LIMIT_BYTES;
    if (weir_system_find(system, NULL, &device) != WEIR_OK ||
        weir_device_configure(device, &memory) != WEIR_OK)
        return 0;
    return weir_context_create(device, &options, out) == WEIR_OK;
}

/* The context itself, and a view of it on another queue. */
static int make_views(shared *all)
{
    weir_queue *queue = NULL;
    int ok = weir_queue_create(all->context, &queue) == WEIR_OK &&
             weir_context_on_queue(all->context, queue, &all->views[1]) == WEIR_OK;

    all->views[0] = weir_context_retain(all->context);
    weir_queue_release(queue);
    return ok;
}

/* Takes the block that may not move. Returns where it is. */
static int take_pinned(shared *all, cl_mem *buffer, uint64_t *offset_bytes)
{
    const uint64_t word = PINNED_WORD;
    wi_span place = {NULL, 0};

    if (weir_pool_alloc(weir_context_get_pool(all->context), NULL, PINNED_BYTES, "pinned",
                        &all->pinned) != WEIR_OK)
        return 0;
    wi_block_pin(all->pinned);
    *buffer = wi_block_get_buffer(all->pinned);
    *offset_bytes = wi_block_get_offset_bytes(all->pinned);
    place.block = all->pinned;
    return wi_context_fill(all->context, &place, PINNED_BYTES, &word, sizeof word) == WEIR_OK;
}

static void report(const shared *all, const weir_pool_stats *stats)
{
    const uint64_t limit_bytes = LIMIT_BYTES;
    const uint64_t requests = stats->blocks.count + all->refused;

    (void)printf("%d threads on 2 queues, %llu commands: %llu compactions moved %llu bytes, %llu "
                 "of %llu requests refused; at most %llu bytes in use, %llu reserved, limit %llu\n",
                 THREADS, (unsigned long long)all->commands, (unsigned long long)stats->compactions,
                 (unsigned long long)stats->moved_bytes, (unsigned long long)all->refused,
                 (unsigned long long)requests, (unsigned long long)stats->in_use_bytes.peak,
                 (unsigned long long)stats->reserved_bytes.peak, (unsigned long long)limit_bytes);
}

/* Returns 0 or FAILED. */
static int run_all(uint64_t compactions, double seconds, int is_broken)
{
    static shared all;
    weir_system *system = NULL;
    weir_pool_stats stats = {0};
    weir_live live;
    weir_text *why = NULL;
    cl_mem buffer = NULL;
    uint64_t offset_bytes = 0;

    all.wanted = compactions;
    all.is_broken = is_broken;
    if (weir_text_create(&why) != WEIR_OK || weir_system_create(&system) != WEIR_OK ||
        !open_context(system, &all.context) || !make_views(&all) ||
        !take_pinned(&all, &buffer, &offset_bytes)) {
        all.is_broken = 0;
        (void)fail(&all, weir_last_error()->message);
    } else {
        run_threads(&all, seconds);
        if (wi_block_get_buffer(all.pinned) != buffer ||
            wi_block_get_offset_bytes(all.pinned) != offset_bytes)
            (void)fail(&all, "the pinned block was moved");
        wi_block_unpin(all.pinned);
        if (!wi_pool_check(weir_context_get_pool(all.context), why))
            (void)fail(&all, weir_text_get(why));
    }
    weir_block_release(all.pinned);
    if (all.context != NULL) weir_pool_get_stats(weir_context_get_pool(all.context), &stats);
    weir_context_release(all.views[0]);
    weir_context_release(all.views[1]);
    weir_context_release(all.context);
    weir_system_destroy(system);
    weir_text_destroy(why);
    report(&all, &stats);
    weir_live_get(&live);
    if (stats.blocks.current != 0 || live.total != 0)
        (void)fail(&all, "blocks or OpenCL objects are left");
    return atomic_load(&all.has_failed) ? FAILED : 0;
}

/* The same in a child, which is expected to find a wrong byte or to die of what the driver does with a freed buffer. */
static int run_broken(double seconds)
{
    int result = 0;
    pid_t child = fork();

    if (child == 0) {
        (void)alarm((unsigned)seconds);
        _exit(run_all(UINT64_MAX, seconds * 2, 1));
    }
    if (child < 0 || waitpid(child, &result, 0) != child) return FAILED;
    if (WIFSIGNALED(result)) {
        (void)printf("ended by signal %d\n", WTERMSIG(result));
        return WTERMSIG(result) == SIGALRM ? FAILED : 0;
    }
    return WEXITSTATUS(result) == BROKE ? 0 : FAILED;
}

int main(int argc, char **argv)
{
    const int must_break = argc > 1 && strcmp(argv[1], "--breaks") == 0;
    const double seconds = argc > 2 ? strtod(argv[2], NULL) : must_break ? 60 : 240;
    const int result = must_break
                           ? run_broken(seconds)
                           : run_all(argc > 1 ? strtoull(argv[1], NULL, 10) : 200, seconds, 0);

    (void)printf("%s\n", result == 0 ? "ok" : "failed");
    return result;
}
