/* What a forked child may do with objects of its parent: be refused, and let go of them. Drivers hang or crash there. */
#include "devices.h"

#include <weir/weir.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_SECONDS 20

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
} objects;

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
    for (uint64_t i = 0; i < wt_scale(200); i++)
        wt_ok(weir_variable_assign_add(out->variable, out->tensor));
}

static void release(objects *all)
{
    weir_block_release(all->block);
    weir_tensor_release(all->draw);
    weir_tensor_release(all->tensor);
    weir_variable_release(all->variable);
    weir_context_release(all->context);
}

/* Runs `body` in a child; the child's exit code is the number of the first thing that was wrong, 0 if nothing was. */
static void in_child(objects *all, int (*body)(objects *all), const char *device)
{
    int result = 0;
    pid_t child = 0;

    (void)fflush(NULL);
    child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        (void)alarm(CHILD_SECONDS);
        _exit(body(all));
    }
    cr_assert_eq(waitpid(child, &result, 0), child);
    cr_assert_not(WIFSIGNALED(result), "%s: the child ended by signal %d", device,
                  WTERMSIG(result));
    cr_assert_eq(WEXITSTATUS(result), 0, "%s: check %d of the child failed", device,
                 WEXITSTATUS(result));
}

static int is_refused_everywhere(objects *all)
{
    weir_tensor *tensor = NULL;
    weir_variable *variable = NULL;
    weir_context *context = NULL;
    weir_block *block = NULL;
    weir_pool *pool = weir_context_get_pool(all->context);

    if (weir_add(all->context, all->tensor, all->draw, &tensor) != WEIR_E_FORKED) return 1;
    if (weir_variable_assign_add(all->variable, all->tensor) != WEIR_E_FORKED) return 2;
    if (weir_variable_assign(all->variable, all->tensor) != WEIR_E_FORKED) return 3;
    if (weir_variable_read(all->variable, &tensor) != WEIR_E_FORKED) return 4;
    if (weir_variable_create(all->context, "w", WEIR_DTYPE_F32, &all->shape, NULL, NULL,
                             &variable) != WEIR_E_FORKED)
        return 5;
    if (weir_pool_alloc(pool, NULL, 100, NULL, &block) != WEIR_E_FORKED) return 6;
    if (weir_pool_trim(pool, 0) != WEIR_E_FORKED) return 7;
    if (weir_context_create(all->device, NULL, &context) != WEIR_E_FORKED) return 8;
    if (weir_context_synchronize(all->context) != WEIR_E_FORKED) return 9;
    return tensor == NULL && variable == NULL && context == NULL && block == NULL ? 0 : 10;
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
