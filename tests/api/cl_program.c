/* Programs of src/cl on every device: from text, from the cache on disk, and what the compiler has to say. */
#include "cl/program.h"

#include "cl/binary_cache.h"
#include "cl_rig.h"
#include "devices.h"
#include "own_cache.h"

#include <weir/log.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes the rig's program once more; its kernel must give the right result. Returns was_loaded. */
static int create_and_run(struct wt_rig *rig, int stores)
{
    const wi_source source = wt_rig_source();
    wi_program *program = NULL;
    wi_kernel *kernel = NULL;
    int was_loaded = -1;

    wt_ok(wi_program_create(&rig->target, &source, 1, "", &program, &was_loaded));
    wt_ok(wi_kernel_create(program, "rig", &kernel));
    cr_assert_gt(wi_kernel_get_max_group(kernel), 0);
    wt_ok(wt_rig_fill(rig->queue, rig->buffer, 5));
    wt_ok(wt_rig_launch(rig->queue, kernel, rig->buffer, 3, 2));
    wt_rig_expect(rig->queue, rig->buffer, 17);
    if (stores) wi_program_store(program);
    wi_kernel_destroy(kernel);
    wi_program_destroy(program);
    return was_loaded;
}

/* Opens the rig and stores its program. Skips the test where a driver gives no binaries. */
static void open_stored(struct wt_rig *rig, const weir_device *device)
{
    wt_cache_begin();
    wt_ok(wt_rig_open(rig, device));
    cr_assert_eq(create_and_run(rig, 0), 0);
    cr_assert_null(wt_cache_find(), "nothing is written before the store");
    cr_assert_eq(create_and_run(rig, 1), 0);
    if (wt_cache_find() != NULL) return;
    wt_rig_close(rig);
    wt_cache_end();
    wt_close(NULL);
    cr_skip("the driver gives no binaries");
}

static void close_stored(struct wt_rig *rig)
{
    wt_rig_close(rig);
    wt_cache_end();
}

WEIR_DEVICE_TEST_BARE_TAGGED(cl_program, is_loaded_the_second_time)
{
    struct wt_rig rig;

    (void)dev;
    open_stored(&rig, device);
    cr_assert_eq(create_and_run(&rig, 1), 1);
    cr_assert_eq(create_and_run(&rig, 0), 1);
    close_stored(&rig);
}

static void overwrite(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");

    cr_assert_not_null(file);
    cr_assert_eq(fwrite(data, 1, bytes, file), bytes);
    cr_assert_eq(fclose(file), 0);
}

/* An entry of the right key whose checksum holds and whose binary is nonsense: only the driver can refuse it. */
static void plant_nonsense(struct wt_rig *rig)
{
    static const char nonsense[] = "this is no program for any device";
    char line[64];
    char text[1024];
    const wi_source source = wt_rig_source();
    wi_cache_subject subject = {
        text, 0, "", rig->target.platform, rig->target.device_name, rig->target.driver_version};

    (void)snprintf(line, sizeof line, "#line 1 \"%s\"\n", source.name);
    (void)snprintf(text, sizeof text, "%s%.*s\n", line, (int)source.bytes, source.text);
    subject.text_bytes = strlen(text);
    cr_assert(wi_binary_cache_write(wt_cache_folder(), wi_binary_cache_key(&subject), nonsense,
                                    sizeof nonsense));
}

WEIR_DEVICE_TEST_BARE_TAGGED(cl_program, is_built_again_if_its_entry_was_cut)
{
    struct wt_rig rig;

    (void)dev;
    open_stored(&rig, device);
    overwrite(wt_cache_find(), "short", 5);
    cr_assert_eq(create_and_run(&rig, 1), 0, "a cut entry was taken");
    cr_assert_eq(create_and_run(&rig, 0), 1, "a cut entry was not replaced");
    close_stored(&rig);
}

/* Not tagged: rusticl of Mesa 22.3 ends the process when it is given such a binary. */
WEIR_DEVICE_TEST_BARE(cl_program, is_built_again_if_the_driver_refuses_the_binary)
{
    struct wt_rig rig;

    (void)dev;
    open_stored(&rig, device);
    plant_nonsense(&rig);
    cr_assert_not_null(wt_cache_find(), "the entry was to be replaced, under its own name");
    cr_assert_eq(create_and_run(&rig, 1), 0, "a binary that is none was taken");
    cr_assert_eq(create_and_run(&rig, 0), 1);
    close_stored(&rig);
}

WEIR_DEVICE_TEST_BARE(cl_program, leaves_the_disk_alone_if_told_so)
{
    struct wt_rig rig;

    (void)dev;
    wt_cache_begin();
    cr_assert_eq(setenv("WEIR_CACHE", "0", 1), 0);
    wt_ok(wt_rig_open(&rig, device));
    cr_assert_eq(create_and_run(&rig, 1), 0);
    cr_assert_eq(create_and_run(&rig, 1), 0);
    cr_assert_null(wt_cache_find());
    wt_rig_close(&rig);
    wt_cache_end();
}

struct heard {
    weir_log_level level;
    size_t bytes;
    char text[4096];
};

static void hear(weir_log_level level, const char *text, void *user)
{
    struct heard *heard = user;

    if (level < heard->level) return;
    heard->level = level;
    heard->bytes = strlen(text);
    (void)snprintf(heard->text, sizeof heard->text, "%s", text);
}

/* Not tagged: Oclgrind does not follow #line. */
WEIR_DEVICE_TEST_BARE(cl_program, names_file_and_line_of_an_error)
{
    static const char first[] = "#pragma OPENCL FP_CONTRACT OFF\nint helper(int x) { return x; }";
    static const char second[] = "\n\nkernel void broken(global int *a) { a[0] = nonsense; }\n";
    const wi_source sources[] = {
        {"first.cl", first, sizeof first - 1},
        {"second.cl", second, sizeof second - 1},
    };
    struct heard heard = {WEIR_LOG_DEBUG, 0, ""};
    struct wt_rig rig;
    wi_program *program = (wi_program *)&heard;
    int was_loaded = -1;

    (void)dev;
    wt_ok(wt_rig_open(&rig, device));
    weir_log_set_hook(WEIR_LOG_ERROR, hear, &heard);
    wt_fails(wi_program_create(&rig.target, sources, 2, "", &program, &was_loaded), WEIR_E_BUILD);
    weir_log_set_hook(WEIR_LOG_ERROR, NULL, NULL);
    cr_assert_null(program);
    cr_assert_eq(was_loaded, 0);
    cr_assert_str_eq(weir_last_error()->where, "clBuildProgram");
    cr_assert_neq(weir_last_error()->cl_status, CL_SUCCESS);
    cr_assert_not_null(strstr(weir_last_error()->message, "second.cl"), "%s",
                       weir_last_error()->message);
    cr_assert_null(strchr(weir_last_error()->message, '\n'));
    cr_assert_eq(heard.level, WEIR_LOG_ERROR);
    cr_assert_not_null(strstr(heard.text, "nonsense"), "%s", heard.text);
    cr_assert_not_null(strstr(heard.text, "second.cl:3"), "%s", heard.text);
    wt_rig_close(&rig);
}

WEIR_DEVICE_TEST_BARE(cl_program, has_no_kernel_of_another_name)
{
    struct wt_rig rig;
    wi_kernel *kernel = (wi_kernel *)&rig;

    (void)dev;
    wt_ok(wt_rig_open(&rig, device));
    wt_fails(wi_kernel_create(rig.program, "absent", &kernel), WEIR_E_BUILD);
    cr_assert_null(kernel);
    cr_assert_not_null(strstr(weir_last_error()->message, "absent"));
    wt_rig_close(&rig);
}
