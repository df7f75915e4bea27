/* Public structures without a size never change: programs that were compiled with an earlier
 * version of the headers have theirs on the stack, or in arrays. A new one belongs into this table,
 * or begins with a size. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "tenon/build.h"
#include "tenon/convert.h"
#include "tenon/files.h"
#include "tenon/forms.h"
#include "tenon/tenon.h"

typedef struct layout {
    const char *name;
    size_t bytes; /* for good, where pointers have 8 */
    size_t now;
} layout;

#define LAYOUT(type, bytes)                                                                        \
    {                                                                                              \
#type, bytes, sizeof(type)                                                                 \
    }
static const layout layouts[] = {
    LAYOUT(tn_allocator, 16),
    LAYOUT(tn_thread_pool, 24),
    LAYOUT(tn_place, 24),
    LAYOUT(tn_fix, 32),
    LAYOUT(tn_note, 32),
    LAYOUT(tn_diagnostic, 128),
    LAYOUT(tn_diagnostic_sink, 16),
    LAYOUT(tn_setting_name, 16),
    LAYOUT(tn_writer, 16),
    LAYOUT(tn_binding, 16),
    LAYOUT(tn_known_input, 16),
    LAYOUT(tn_input_shape, 24),
    LAYOUT(tn_pass_observer, 16),
    LAYOUT(tn_type, 264),
    LAYOUT(tn_port, 272),
    LAYOUT(tn_profile_event, 64),
    LAYOUT(tn_profiler, 16),
    LAYOUT(tn_buffer, 280),
    LAYOUT(tn_attribute, 64),
    LAYOUT(tn_custom_attribute, 56),
    LAYOUT(tn_custom_use, 56),
    LAYOUT(tn_op_info, 64),
    LAYOUT(tn_op_attribute_info, 48),
    LAYOUT(tn_op_field_info, 40),
    LAYOUT(tn_pass_info, 24),
    LAYOUT(tn_dialect_info, 24),
    LAYOUT(tn_equiv_result, 104),
    LAYOUT(tn_function_checks, 32),
    LAYOUT(tn_walk_function, 24),
    LAYOUT(tn_walk_instruction, 320),
    LAYOUT(tn_walker, 32),
    LAYOUT(tn_planned_buffer, 336),
    LAYOUT(tn_value, 8),
    LAYOUT(tn_region, 4),
    LAYOUT(tn_ints, 16),
    LAYOUT(tn_values, 16),
    LAYOUT(tn_top, 16),
    LAYOUT(tn_convolved, 128),
    LAYOUT(tn_scatter_axes, 56),
    LAYOUT(tn_window, 80),
    LAYOUT(tn_rotary, 16),
};
#undef LAYOUT

static bool is_listed(const char *name)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (strcmp(layouts[i].name, name) == 0)
            return true;
    return false;
}

/* Every structure in HEADER begins with its size, or is listed. Returns how many there are. */
static size_t check_header(const char *header)
{
    char path[1024], line[1024], name[128];
    size_t n = 0;
    (void)snprintf(path, sizeof path, "%s/../include/tenon/%s", TEST_FOLDER, header);
    FILE *f = fopen(path, "r");
    if (!CHECK(f != NULL))
        return 0;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "typedef struct %127[a-z0-9_] {", name) != 1 || !strchr(line, '{'))
            continue;
        n++;
        if (fgets(line, sizeof line, f) && !strstr(line, "size_t size;") && !CHECK(is_listed(name)))
            printf("    %s has no size\n", name);
    }
    (void)fclose(f);
    return n;
}

int main(void)
{
    static const char *const headers[] = {"types.h", "tenon.h", "convert.h", "build.h",
                                          "forms.h", "files.h", "report.h"};
    size_t n = 0;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (sizeof(void *) == 8 && !CHECK_INT(layouts[i].now, layouts[i].bytes))
            printf("    %s\n", layouts[i].name);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        n += check_header(headers[i]);
    CHECK(n > sizeof layouts / sizeof *layouts); /* some have sizes */
    return check_result();
}
