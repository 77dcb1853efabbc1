/* What a forked child may do with objects of its parent: be refused, and let go of them. Drivers hang or crash there. */
#include "devices.h"

#include <weir/interop_cl.h>
#include <weir/weir.h>

#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_SECONDS 120

TestSuite(fork, .timeout = WT_TIMEOUT);

/* An object of each kind, with work behind it that the parent's device may still be doing. */
typedef struct objects {
    weir_device *device;
    weir_context *context;
    weir_shape shape;
    weir_tensor *tensor;
    weir_tensor *draw;
    weir_variable *variable;
    weir_block *block;
    weir_queue *queue;
    weir_context *view;
    weir_function *function;
    weir_argument_spec spec; /* of the function */
    weir_tape *tape;
    weir_mark *mark;
    weir_memory_options memory; /* for a split */
    weir_adopt_options adopting;
    weir_text *text;
    cl_mem mem; /* of the block, no owner; likewise the other handles of OpenCL */
    cl_context cl_context;
    cl_device_id cl_device;
    cl_command_queue cl_queue;
} objects;

static uint64_t offset_out;

/* A body for functions, and for loops. */
static weir_status double_it(weir_context *context, const weir_argument *arguments,
                             weir_tensor **outs, void *user)
{
    (void)user;
    return weir_add(context, arguments[0].tensor, arguments[0].tensor, &outs[0]);
}

static weir_status double_carry(weir_context *context, weir_scalar index, weir_tensor *const *in,
                                weir_tensor **out, void *user)
{
    (void)index;
    (void)user;
    return weir_add(context, in[0], in[0], &out[0]);
}

static void make(weir_device *device, const char *strategy, objects *out)
{
    weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
    weir_generator generator = WEIR_GENERATOR_INIT;

    memory.strategy = strategy;
    *out = (objects){.device = device, .shape = {1, {wt_scale(1 << 16)}}};
    wt_ok(weir_device_configure(device, &memory));
    wt_ok(weir_context_create(device, NULL, &out->context));
    wt_ok(weir_zeros(out->context, WEIR_DTYPE_F32, &out->shape, &out->tensor));
    wt_ok(weir_random_normal(out->context, &generator, &out->shape, &out->draw));
    wt_ok(weir_variable_create(out->context, "v", WEIR_DTYPE_F32, &out->shape, out->tensor, NULL,
                               &out->variable));
    wt_ok(weir_pool_alloc(weir_context_get_pool(out->context), NULL, 1000, "b", &out->block));
    wt_ok(weir_queue_create(out->context, &out->queue));
    wt_ok(weir_context_on_queue(out->context, out->queue, &out->view));
    out->spec = (weir_argument_spec){WEIR_ARGUMENT_TENSOR, WEIR_DTYPE_F32, out->shape};
    out->memory = memory;
    out->memory.limit_bytes = 1 << 20;
    out->adopting = (weir_adopt_options)WEIR_ADOPT_OPTIONS_INIT;
    out->adopting.device = device;
    out->cl_context = weir_context_get_cl_context(out->context);
    out->cl_device = weir_context_get_cl_device(out->context);
    out->cl_queue = weir_context_get_cl_queue(out->context);
    wt_ok(weir_text_create(&out->text));
    wt_ok(weir_function_capture(out->context, &out->spec, 1, 1, double_it, NULL, &out->function));
    wt_ok(weir_tape_begin(out->context, NULL, &out->tape));
    wt_ok(weir_tape_watch(out->tape, out->tensor));
    wt_ok(weir_pool_mark(weir_context_get_pool(out->context), &out->mark));
    weir_block_get_cl_mem(out->block, &out->mem, &offset_out);
    wt_ok(weir_scope_push(weir_context_get_pool(out->context), "scope"));
    for (uint64_t i = 0; i < wt_scale(200); i++)
        wt_ok(weir_variable_assign_add(out->variable, out->tensor));
}

static void release(objects *all)
{
    weir_text_destroy(all->text);
    weir_mark_destroy(all->mark);
    weir_tape_destroy(all->tape);
    weir_function_release(all->function);
    weir_context_release(all->view);
    weir_queue_release(all->queue);
    weir_block_release(all->block);
    weir_tensor_release(all->draw);
    weir_tensor_release(all->tensor);
    weir_variable_release(all->variable);
    weir_context_release(all->context);
}

static const char *what(int code);
static int is_over_time(int result) { return WIFSIGNALED(result) && WTERMSIG(result) == SIGALRM; }
static int lets_go_of_everything(objects *all);

/* AddressSanitizer's allocator has no fork handlers in gcc 12: a child that is forked while another thread is in malloc()
 * may wait there for ever, whatever weir does. */
#ifdef __SANITIZE_ADDRESS__
#define ATTEMPTS 3
#else
#define ATTEMPTS 1
#endif

/* Runs `body` in a child; the child's exit code is the number of the first thing that was wrong, 0 if nothing was. */
static void in_child(objects *all, int (*body)(objects *all), const char *device)
{
    int result = 0;
    pid_t child = 0;

    (void)fflush(NULL);
    for (int i = 0; i < ATTEMPTS && (i == 0 || is_over_time(result)); i++) {
        child = fork();
        cr_assert_geq(child, 0);
        if (child == 0) {
            (void)alarm(CHILD_SECONDS);
            _exit(body(all));
        }
        cr_assert_eq(waitpid(child, &result, 0), child);
    }
    cr_assert_not(WIFSIGNALED(result), "%s: the child ended by signal %d", device,
                  WTERMSIG(result));
    cr_assert_eq(WEXITSTATUS(result), 0, "%s: check %d (%s) of the child failed", device,
                 WEXITSTATUS(result),
                 body != lets_go_of_everything ? what(WEXITSTATUS(result)) : "");
}

/* Where outputs go: they must be NULL after a refusal. */
static weir_tensor *tensor_out;
static weir_variable *variable_out;
static weir_context *context_out;
static weir_block *block_out;
static weir_queue *queue_out;
static weir_function *function_out;
static weir_tape *tape_out;
static weir_device *device_out;
static cl_mem mem_out;
static weir_mark *mark_out;
static float host[1 << 16];

#define POOL weir_context_get_pool(a->context)

/* Every call that works on one of the objects and returns a status. X(what, call) */
#define CALLS(X)                                                                                   \
    X(add, weir_add(a->context, a->tensor, a->draw, &tensor_out))                                  \
    X(sub, weir_sub(a->context, a->tensor, a->draw, &tensor_out))                                  \
    X(mul, weir_mul(a->context, a->tensor, a->draw, &tensor_out))                                  \
    X(div, weir_div(a->context, a->tensor, a->draw, &tensor_out))                                  \
    X(exp, weir_exp(a->context, a->tensor, &tensor_out))                                           \
    X(tanh, weir_tanh(a->context, a->tensor, &tensor_out))                                         \
    X(sigmoid, weir_sigmoid(a->context, a->tensor, &tensor_out))                                   \
    X(sqrt, weir_sqrt(a->context, a->tensor, &tensor_out))                                         \
    X(neg, weir_neg(a->context, a->tensor, &tensor_out))                                           \
    X(scale, weir_scale(a->context, a->tensor, 2.0F, &tensor_out))                                 \
    X(sum, weir_sum(a->context, a->tensor, NULL, 0, 0, &tensor_out))                               \
    X(reshape, weir_reshape(a->context, a->tensor, &a->shape, &tensor_out))                        \
    X(expand, weir_expand(a->context, a->tensor, &a->shape, &tensor_out))                          \
    X(transpose, weir_transpose(a->context, a->tensor, (const int[]){0}, &tensor_out))             \
    X(zeros, weir_zeros(a->context, WEIR_DTYPE_F32, &a->shape, &tensor_out))                       \
    X(full, weir_full(a->context, WEIR_DTYPE_F32, &a->shape, 1, &tensor_out))                      \
    X(normal, weir_random_normal(a->context, &(weir_generator){1, 0}, &a->shape, &tensor_out))     \
    X(uniform, weir_random_uniform(a->context, &(weir_generator){1, 0}, &a->shape, &tensor_out))   \
    X(view_add, weir_add(a->view, a->tensor, a->draw, &tensor_out))                                \
    X(stop_gradient, weir_stop_gradient(a->context, a->tensor, &tensor_out))                       \
    X(from_scalar, weir_from_scalar(a->context, weir_scalar_of(1), &a->shape, &tensor_out))        \
    X(from_host, weir_tensor_from_host(a->context, WEIR_DTYPE_F32, &a->shape, host, &tensor_out))  \
    X(to_host, weir_tensor_to_host(a->tensor, host, weir_tensor_get_bytes(a->tensor)))             \
    X(read, weir_variable_read(a->variable, &tensor_out))                                          \
    X(assign, weir_variable_assign(a->variable, a->tensor))                                        \
    X(assign_add, weir_variable_assign_add(a->variable, a->tensor))                                \
    X(assign_sub, weir_variable_assign_sub(a->variable, a->tensor))                                \
    X(variable,                                                                                    \
      weir_variable_create(a->context, "w", WEIR_DTYPE_F32, &a->shape, NULL, NULL, &variable_out)) \
    X(alloc, weir_pool_alloc(POOL, NULL, 100, NULL, &block_out))                                   \
    X(alloc_empty, weir_pool_alloc(POOL, NULL, 0, NULL, &block_out))                               \
    X(trim, weir_pool_trim(POOL, 0))                                                               \
    X(mark, weir_pool_mark(POOL, &mark_out))                                                       \
    X(diff, weir_pool_diff(POOL, a->mark, NULL, NULL, 0, NULL))                                    \
    X(diff_report, weir_pool_diff_report(POOL, a->mark, NULL, a->text))                            \
    X(scope_push, weir_scope_push(POOL, "inner"))                                                  \
    X(scope_pop, weir_scope_pop(POOL))                                                             \
    X(queue, weir_queue_create(a->context, &queue_out))                                            \
    X(queue_adopt, weir_queue_adopt(a->context, a->cl_queue, &queue_out))                          \
    X(queue_synchronize, weir_queue_synchronize(a->queue))                                         \
    X(queue_wait, weir_queue_wait(a->queue, weir_context_get_queue(a->context)))                   \
    X(on_queue, weir_context_on_queue(a->context, a->queue, &context_out))                         \
    X(record, weir_block_record(a->block, a->queue))                                               \
    X(sub_buffer, weir_block_create_sub_buffer(a->block, 0, 256, &mem_out))                        \
    X(to_cl_mem, weir_tensor_to_cl_mem(a->tensor, &mem_out, &offset_out))                          \
    X(wrap,                                                                                        \
      weir_tensor_wrap_cl_mem(a->context, a->mem, 0, WEIR_DTYPE_F32, &a->shape, &tensor_out))      \
    X(capture, weir_function_capture(a->context, &a->spec, 1, 1, double_it, NULL, &function_out))  \
    X(prepare, weir_function_prepare(a->function))                                                 \
    X(call,                                                                                        \
      weir_function_call(a->function, &(weir_argument){.tensor = a->tensor}, 1, &tensor_out, 1))   \
    X(loop,                                                                                        \
      weir_for(a->context, weir_scalar_of(3), double_carry, NULL, &a->tensor, 1, &tensor_out))     \
    X(tape, weir_tape_begin(a->context, NULL, &tape_out))                                          \
    X(watch, weir_tape_watch(a->tape, a->draw))                                                    \
    X(gradient, weir_tape_gradient(a->tape, &a->tensor, 1, NULL, &a->tensor, 1, &tensor_out))      \
    X(configure, weir_device_configure(a->device, NULL))                                           \
    X(split, weir_device_split(a->device, 1, &a->memory, &device_out))                             \
    X(open, weir_context_create(a->device, NULL, &context_out))                                    \
    X(adopt,                                                                                       \
      weir_context_adopt(a->cl_context, a->cl_device, a->cl_queue, &a->adopting, &context_out))    \
    X(synchronize, weir_context_synchronize(a->context))                                           \
    X(view_synchronize, weir_context_synchronize(a->view))

#define CALL_FUNCTION(Name, Call) \
    static weir_status call_##Name(objects *a) { return Call; }
CALLS(CALL_FUNCTION)

static const struct call {
    const char *name;
    weir_status (*run)(objects *all);
} calls[] = {
#define CALL_ROW(Name, Call) {#Name, call_##Name},
    CALLS(CALL_ROW)
#undef CALL_ROW
};

static const char *what(int code)
{
    return code > 0 && (size_t)code <= sizeof calls / sizeof calls[0] ? calls[code - 1].name : "";
}

/* Returns 0, or 1 + the row of the first call that was not refused or left an output. */
static int is_refused_everywhere(objects *all)
{
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (calls[i].run(all) != WEIR_E_FORKED) return 1 + (int)i;
        if (weir_last_error()->status != WEIR_E_FORKED) return 1 + (int)i;
        if (tensor_out != NULL || variable_out != NULL || context_out != NULL ||
            block_out != NULL || queue_out != NULL || function_out != NULL || tape_out != NULL ||
            device_out != NULL || mem_out != NULL || mark_out != NULL)
            return 1 + (int)i;
    }
    return 0;
}

/* What has no status to refuse with answers; nothing of it may wait for a thread that the child does not have. */
static int answers_without_status(objects *all)
{
    cl_mem mem = all->mem;
    uint64_t offset_bytes = 1;

    weir_block_get_cl_mem(all->block, &mem, &offset_bytes);
    if (mem != NULL || offset_bytes != 0)
        return 12; /* nothing that the driver would be asked with */
    weir_context_reset_error(all->context);
    (void)weir_variable_is_shared(all->variable);
    if (weir_function_get_plan_bytes(all->function) == UINT64_MAX) return 13;
    weir_context_explain(all->context, all->text);
    if (weir_context_get_cl_queue(all->context) != all->cl_queue) return 14;
    return 0;
}

/* What cannot fail answers, and comes back even where a thread of the parent held a lock. */
static int answers(objects *all)
{
    weir_pool *pool = weir_context_get_pool(all->context);
    weir_pool_stats stats;
    weir_context_stats counts;
    weir_owner_stats owners[4];
    weir_text *text = NULL;

    if (weir_device_get_limit_bytes(all->device) == 0) return 1;
    if (weir_device_get_strategy(all->device)[0] == '\0') return 2;
    if (weir_device_logical_count(all->device) != 0) return 3;
    weir_pool_get_stats(pool, &stats);
    if (stats.reserved_bytes.current != 0) return 4;
    if (weir_pool_get_owners(pool, owners, 4) != 0) return 5;
    weir_pool_reset_peak(pool);
    if (weir_text_create(&text) != WEIR_OK) return 6;
    weir_pool_report(pool, text);
    if (strstr(weir_text_get(text), "forked") == NULL) return 7;
    weir_text_destroy(text);
    weir_context_get_stats(all->context, &counts);
    if (weir_block_get_bytes(all->block) != 1000) return 9;
    if (weir_block_get_root(all->block) == 0) return 10;
    if (weir_block_get_offset_bytes(all->block) % 256 != 0) return 11;
    if (weir_tensor_get_count(all->tensor) != weir_shape_count(&all->shape)) return 8;
    return answers_without_status(all);
}

static int lets_go_of_everything(objects *all)
{
    release(all);
    return 0;
}

WEIR_DEVICE_TEST_BARE(fork, a_child_is_refused_by_every_call)
{
    objects all;

    make(device, "growth", &all);
    in_child(&all, is_refused_everywhere, dev->name);
    wt_ok(weir_context_synchronize(all.context));
    release(&all);
}

/* Threads of the parent hold locks of a pool, a function and a variable half of the time, so one of many children finds them
 * held. */
static _Atomic int is_over;

static void *allocate_often(void *user)
{
    while (atomic_load(&is_over) == 0) {
        weir_block *block = NULL;

        if (weir_pool_alloc(user, NULL, 5000, "busy", &block) != WEIR_OK) return user;
        weir_block_release(block);
    }
    return NULL;
}

static void *call_often(void *user)
{
    const objects *all = user;

    while (atomic_load(&is_over) == 0) {
        const weir_argument argument = {.tensor = all->tensor};
        weir_tensor *out = NULL;

        if (weir_function_call(all->function, &argument, 1, &out, 1) != WEIR_OK) return user;
        weir_tensor_release(out);
    }
    return NULL;
}

static void *update_often(void *user)
{
    const objects *all = user;

    while (atomic_load(&is_over) == 0)
        if (weir_variable_assign_add(all->variable, all->tensor) != WEIR_OK) return user;
    return NULL;
}

#define NO_ANSWER 200 /* and the number of the answer, beyond those of the calls */

static int answers_and_is_refused(objects *all)
{
    int wrong = is_refused_everywhere(all);

    if (wrong != 0) return wrong;
    wrong = answers(all);
    return wrong != 0 ? NO_ANSWER + wrong : 0;
}

WEIR_DEVICE_TEST_BARE(fork, a_child_gets_answers_while_threads_of_the_parent_are_busy)
{
    objects all;
    pthread_t threads[3];
    void *failed = NULL;

    make(device, "growth", &all);
    cr_assert_eq(
        pthread_create(&threads[0], NULL, allocate_often, weir_context_get_pool(all.context)), 0);
    cr_assert_eq(pthread_create(&threads[1], NULL, call_often, &all), 0);
    cr_assert_eq(pthread_create(&threads[2], NULL, update_often, &all), 0);
    for (uint64_t i = 0; i < wt_scale(20) + 1; i++)
        in_child(&all, answers_and_is_refused, dev->name);
    atomic_store(&is_over, 1);
    for (size_t i = 0; i < 3; i++) {
        (void)pthread_join(threads[i], &failed);
        cr_assert_null(failed, "%s", dev->name);
    }
    release(&all);
}

WEIR_DEVICE_TEST_BARE(fork, a_child_releases_without_asking_the_driver)
{
    objects all;

    make(device, "growth", &all);
    in_child(&all, lets_go_of_everything, dev->name);
    wt_ok(weir_context_synchronize(all.context));
    release(&all);
}

WEIR_DEVICE_TEST_BARE(fork, a_child_releases_blocks_that_the_strategy_gives_back)
{
    objects all;

    make(device, "direct", &all);
    in_child(&all, lets_go_of_everything, dev->name);
    wt_ok(weir_context_synchronize(all.context));
    release(&all);
}
