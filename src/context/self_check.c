/* The self-check at open.
 *
 * The device and the host evaluate the same text (cl/self_check_rows.h) on the same operands, the device at its vector
 * width, the host one case at a time; then words are compared bit for bit. Two differences are allowed for: payloads of
 * NaN in plain arithmetic, since weir stores its own NaN, and subnormal numbers taken for zero, since weir's functions
 * do not depend on them. To tell the latter from a wrong result, the host repeats a differing operation with operands,
 * product or result flushed. One kernel, one launch, one read keep a warm open within a few milliseconds.
 *
 * Thread: no shared state; the queue has its own lock.
 */
#include "context/self_check.h"

#include "base/status.h"
#include "cl/cl_context.h"
#include "cl/self_check_rows.h"
#include "context/enqueue.h"
#include "device/device.h"
#include "mem/oom.h"

#include <stdio.h>
#include <string.h>

/* Names the kernel in the context's cache; no other recipe has it, whatever the width. */
#define SELF_CHECK_KEY UINT64_C(0x5e1fc4ec00000001)

enum { ROW_ADD = 4, ROW_MULTIPLY = 5, ROW_FMA = 6, ROW_MULTIPLY_ADD = 7, ROW_COMPARE = 8 };

#define TABLE_A(a, b, c) a,
#define TABLE_B(a, b, c) b,
#define TABLE_C(a, b, c) c,
static const uint32_t table_a[WI_SELF_CHECK_CASES] = {WI_CHECK_TABLE(TABLE_A)};
static const uint32_t table_b[WI_SELF_CHECK_CASES] = {WI_CHECK_TABLE(TABLE_B)};
static const uint32_t table_c[WI_SELF_CHECK_CASES] = {WI_CHECK_TABLE(TABLE_C)};

/* The table says how many rows it has; the rest of the cases is random. */
#define COUNT(a, b, c) 1,
_Static_assert(sizeof((const char[]){WI_CHECK_TABLE(COUNT)}) == WI_CHECK_TABLE_CASES,
               "rows of WI_CHECK_TABLE");
#undef COUNT

static const struct {
    const char *name;
    wi_checked finding;
} rows[WI_SELF_CHECK_ROWS] = {
#define ROW(Index, Name, Finding, Bits) [Index] = {Name, WI_CHECKED_##Finding},
    WI_CHECK_ROWS(ROW)
#undef ROW
};

static const struct {
    const char *name;
    int refuses;
    const char *text;
} properties[WI_CHECKED_COUNT] = {
#define PROPERTY(NAME, Lower, Refuses, Text) [WI_CHECKED_##NAME] = {Lower, Refuses, Text},
    WI_CHECKED_LIST(PROPERTY)
#undef PROPERTY
};

static wi_quad_u case_operands(unsigned i)
{
    return wi_check_operands(wi_check_words(i, 0U), table_a[i], table_b[i], table_c[i], 0U);
}

void wi_self_check_expect(uint32_t *words)
{
    for (unsigned i = 0; i < WI_SELF_CHECK_CASES; ++i) {
        wi_quad_u w = wi_check_words(i, 0U);
        wi_quad_u operands = case_operands(i);
        wi_u a = operands.v0;
        wi_u b = operands.v1;
        wi_u c = operands.v2;
        wi_f x = wi_float(a);
        wi_f y = wi_float(b);
        wi_f z = wi_float(c);
        wi_f normal_sine;
        wi_f normal_cosine = wi_normal_pair(w.v0, w.v1, &normal_sine);
#define ROW(Index, Name, Finding, Bits) words[(Index)*WI_SELF_CHECK_CASES + i] = Bits;
        WI_CHECK_ROWS(ROW)
#undef ROW
    }
}

static int is_nan(uint32_t u) { return (u & 0x7fffffffU) > WI_INF; }
static int is_infinite(uint32_t u) { return (u & 0x7fffffffU) == WI_INF; }
static int is_subnormal(uint32_t u)
{
    return (u & 0x7fffffffU) < 0x00800000U && (u & 0x7fffffffU) != 0;
}

static float flush(float x)
{
    return is_subnormal(wi_bits(x)) ? wi_float(wi_bits(x) & WI_SIGN) : x;
}

/* Equal but for the sign of zero, which flushing may lose. */
static int is_same_number(uint32_t u, float x)
{
    return u == wi_bits(x) || ((u << 1) == 0 && (wi_bits(x) << 1) == 0);
}

/* The plain operation of a row on v, its subnormal product taken for zero if `loses_product`. */
static float evaluate(unsigned row, const float *v, int loses_product)
{
    float factor = row == ROW_MULTIPLY_ADD ? v[2] : v[1];
    float addend = row == ROW_MULTIPLY_ADD ? v[1] : v[2];
    float product = v[0] * factor;

    if (row == ROW_ADD) return v[0] + v[1];
    if (row == ROW_MULTIPLY) return product;
    if (loses_product && is_subnormal(wi_bits(product))) return flush(product) + addend;
    return row == ROW_FMA ? wi_fma(v[0], factor, addend) : product + addend;
}

/* Does `got` come out if subnormal operands (bit 0 of how), products (1) or results (2) are zeros? */
static int explains(unsigned row, const uint32_t *operands, uint32_t got, unsigned how)
{
    float v[3];

    for (unsigned i = 0; i < 3; ++i) {
        v[i] = wi_float(operands[i]);
        if (how & 1U) v[i] = flush(v[i]);
    }
    if (row == ROW_COMPARE) {
        uint32_t larger = v[0] > v[1] ? operands[1] : operands[0];
        return got == (v[0] == v[2] ? operands[2] : larger);
    }
    float r = evaluate(row, v, (how & 2U) != 0);
    return is_same_number(got, how & 4U ? flush(r) : r);
}

/* Is there anything in this case that a device could flush? */
static int has_subnormal(unsigned row, const uint32_t *operands, uint32_t expected)
{
    float factor = wi_float(operands[row == ROW_MULTIPLY_ADD ? 2 : 1]);
    int is_among = is_subnormal(expected) || is_subnormal(wi_bits(wi_float(operands[0]) * factor));

    for (unsigned i = 0; i < 3; ++i) is_among = is_among || is_subnormal(operands[i]);
    return is_among;
}

/* What a difference in plain arithmetic tells; WI_CHECKED_COUNT: nothing, it is allowed. */
static wi_checked judge(unsigned row, const uint32_t *operands, uint32_t expected, uint32_t got)
{
    int has_nan = is_nan(operands[0]) || is_nan(operands[1]);
    int has_infinity = is_infinite(operands[0]) || is_infinite(operands[1]);

    if (row < ROW_ADD || row > ROW_COMPARE) return rows[row].finding;
    if (row == ROW_FMA || row == ROW_MULTIPLY_ADD || row == ROW_COMPARE) {
        has_nan = has_nan || is_nan(operands[2]);
        has_infinity = has_infinity || is_infinite(operands[2]);
    }
    if (row != ROW_COMPARE && is_nan(expected) && is_nan(got)) return WI_CHECKED_COUNT;
    if (row == ROW_FMA || has_subnormal(row, operands, expected))
        for (unsigned how = 0; how < 8; ++how)
            if (explains(row, operands, got, how))
                return row == ROW_FMA ? WI_CHECKED_FMA_ZEROS : WI_CHECKED_SUBNORMALS;
    if (has_nan || (row != ROW_COMPARE && is_nan(expected) != is_nan(got))) return WI_CHECKED_NAN;
    if (has_infinity || (row != ROW_COMPARE && is_infinite(expected) != is_infinite(got)))
        return WI_CHECKED_INFINITIES;
    return rows[row].finding;
}

int wi_self_check_compare(const uint32_t *words, wi_self_check *report)
{
    uint32_t expected[WI_SELF_CHECK_ROWS * WI_SELF_CHECK_CASES];
    int is_good = 1;

    memset(report->findings, 0, sizeof report->findings);
    wi_self_check_expect(expected);
    for (unsigned i = 0; i < WI_SELF_CHECK_ROWS * WI_SELF_CHECK_CASES; ++i) {
        if (words[i] == expected[i]) continue;
        unsigned row = i / WI_SELF_CHECK_CASES;
        wi_quad_u q = case_operands(i % WI_SELF_CHECK_CASES);
        uint32_t operands[3] = {q.v0, q.v1, q.v2};
        wi_checked kind = judge(row, operands, expected[i], words[i]);
        if (kind == WI_CHECKED_COUNT) continue;
        wi_finding *f = &report->findings[kind];
        if (f->differing++ > 0) continue;
        f->state = properties[kind].refuses ? WI_FINDING_FAIL : WI_FINDING_NAMED;
        f->row = row;
        memcpy(f->operands, operands, sizeof operands);
        f->expected = expected[i];
        f->got = words[i];
        is_good = is_good && !properties[kind].refuses;
    }
    return is_good;
}

const char *wi_self_check_row_name(unsigned row)
{
    return row < WI_SELF_CHECK_ROWS ? rows[row].name : "?";
}

void wi_self_check_write(const wi_self_check *report, weir_text *text)
{
    static const char *const results[] = {
        [WI_FINDING_PASS] = "pass", [WI_FINDING_NAMED] = "named", [WI_FINDING_FAIL] = "fail"};

    if (report->width == 0) {
        weir_text_append(text, "self-check: not run\n");
        return;
    }
    for (unsigned k = 0; k < WI_CHECKED_COUNT; ++k) {
        const wi_finding *f = &report->findings[k];
        weir_text_append(text, "self-check: %s: %s", properties[k].name, results[f->state]);
        if (f->differing > 0)
            weir_text_append(text,
                             "; %s; %u cases, first %s of %08x %08x %08x gave %08x, expected %08x",
                             properties[k].text, (unsigned)f->differing, rows[f->row].name,
                             (unsigned)f->operands[0], (unsigned)f->operands[1],
                             (unsigned)f->operands[2], (unsigned)f->got, (unsigned)f->expected);
        weir_text_append(text, "\n");
    }
}

/* Records UNSUPPORTED with every property that refuses and the first case of each. */
static weir_status refuse(const wi_self_check *report)
{
    char message[440];
    size_t used = 0;

    message[0] = 0;
    for (unsigned k = 0; k < WI_CHECKED_COUNT; ++k) {
        const wi_finding *f = &report->findings[k];
        if (f->state != WI_FINDING_FAIL || used >= sizeof message) continue;
        int n = snprintf(message + used, sizeof message - used,
                         "%s%s (%u cases, first %s of %08x %08x %08x: %08x, not %08x)",
                         used > 0 ? "; " : "", properties[k].name, (unsigned)f->differing,
                         rows[f->row].name, (unsigned)f->operands[0], (unsigned)f->operands[1],
                         (unsigned)f->operands[2], (unsigned)f->got, (unsigned)f->expected);
        if (n > 0) used += (size_t)n;
    }
    return wi_fail_hint(WEIR_E_UNSUPPORTED, "self-check",
                        "no_self_check = 1 in the context's options opens the device without the "
                        "promise of equal bits",
                        "this device's arithmetic differs: %s", message);
}

/* The texts after the context's prelude. */
static weir_status make_recipe(void *user, wi_kernel_recipe *recipe)
{
    static const char *const names[2] = {"self_check_rows.h", "self_check.cl"};
    wi_source *sources = user;

    for (unsigned i = 0; i < 2; ++i)
        if (!wi_source_find(names[i], &sources[i]))
            return wi_fail(WEIR_E_BUILD, "self-check", "text %s is not in the library", names[i]);
    recipe->sources = sources;
    recipe->source_count = 2;
    recipe->kernel = "weir_self_check";
    return WEIR_OK;
}

/* The context is being opened, so nothing is in use or reserved by it. */
static weir_status fail_memory(const weir_context *context, weir_oom_cause cause)
{
    weir_device *device = weir_context_get_device(context);
    const weir_oom_report report = {.requested_bytes = WI_SELF_CHECK_BYTES,
                                    .limit_bytes = weir_device_get_limit_bytes(device),
                                    .cause = cause};

    return wi_oom_fail(&report, "self-check", wi_device_get_traits(device),
                       wi_budget_get_reserved(wi_device_get_budget(device)));
}

weir_status wi_self_check_run(weir_context *context, wi_queue *queue, wi_self_check *report)
{
    weir_status status = WEIR_OK;
    weir_device *device = weir_context_get_device(context);
    wi_budget *budget = wi_device_get_budget(device);
    int is_budgeted = 0;
    cl_mem buffer = NULL;
    wi_kernel *kernel = NULL;
    wi_source sources[2];
    uint32_t words[WI_SELF_CHECK_ROWS * WI_SELF_CHECK_CASES];
    unsigned width = wi_context_get_traits(context)->vector_width;

    memset(report, 0, sizeof *report);
    status = wi_context_kernel(context, SELF_CHECK_KEY, make_recipe, sources, &kernel);
    if (status != WEIR_OK) goto done;
    do {
        is_budgeted = wi_budget_take(budget, WI_SELF_CHECK_BYTES);
    } while (!is_budgeted &&
             wi_lenders_ask(wi_device_get_lenders(device), NULL, WI_SELF_CHECK_BYTES) != 0);
    if (!is_budgeted) {
        status = fail_memory(context, WEIR_OOM_LIMIT);
        goto done;
    }
    status = wi_cl_buffer_create(wi_context_get_cl_context(context), WI_SELF_CHECK_BYTES, &buffer);
    if (status == WEIR_E_OUT_OF_MEMORY) status = fail_memory(context, WEIR_OOM_DRIVER);
    if (status != WEIR_OK) goto done;

    wi_arg args[3] = {
        {.kind = WI_ARG_BUFFER, .value.buffer = buffer},
        {.kind = WI_ARG_U64, .value.u64 = 0},
        {.kind = WI_ARG_U32, .value.u32 = 0},
    };
    wi_launch launch = {.kernel = kernel, .args = args, .arg_count = 3};
    launch.global_size = WI_SELF_CHECK_CASES / width;
    status = wi_queue_launch(queue, &launch);
    if (status != WEIR_OK) goto done;
    status = wi_queue_read(queue, buffer, 0, sizeof words, words);
    if (status != WEIR_OK) goto done;

    report->width = width;
    if (!wi_self_check_compare(words, report)) status = refuse(report);
done:
    wi_cl_buffer_release(buffer);
    if (is_budgeted) wi_budget_give(budget, WI_SELF_CHECK_BYTES);
    return status;
}
