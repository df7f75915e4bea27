#include "drawn.h"

#include <stdio.h>

#include "../unit/graph_random.h"
#include "../unit/graph_random_weights.h"
#include "api/api.h"
#include "tenon/convert.h"

/* What makes a program of one value of interest; NO_VALUE where the type rules refuse it. */
typedef value_id draw_fn(graph *g);

static bool draw_with(draw_fn *draw, choices *c, function *f, int64_t elements)
{
    graph g = {.c = c, .f = f, .most = {.elements = elements, .depth = 1}};
    choose_theme(&g);
    const value_id y = draw(&g);
    return y != NO_VALUE && function_add_output(f, y) == TN_OK;
}

/* Half of the programs are steps of all kinds, the others are about one thing. */
static bool draw(choices *c, function *f)
{
    graph_limits most = {.elements = 2000, .depth = 2};
    switch (pick(c, 8)) {
    case 0:
        return draw_with(random_product, c, f, 4000);
    case 1:
        return draw_with(random_weights, c, f, 4000);
    case 2:
        return draw_with(random_stages, c, f, 4000);
    case 3:
        return draw_with(random_loop, c, f, 600);
    default:
        most.steps = 1 + pick(c, 25);
        most.has_regions = one_in(c, 3);
        return random_program(c, f, &most);
    }
}

/* As tn_writer: to the file USER. */
static bool put(void *user, const char *bytes, size_t n)
{
    return fwrite(bytes, 1, n, user) == n;
}

bool drawn_write(uint64_t seed, const char *path)
{
    static const char text[] = "ptir-text";
    context *cx = context_new(NULL, NULL);
    module *m = cx ? module_new(cx) : NULL;
    function *f = m ? module_add_function(m, "main", 4) : NULL;
    choices c = {.state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15)};
    tn_module outer = {m};
    bool ok = f && draw(&c, f) && tn_module_convert(&outer, text, NULL) == TN_OK;
    FILE *file = ok ? fopen(path, "wb") : NULL;
    const tn_writer to = {put, file};
    ok = file && tn_module_write(&outer, text, NULL, &to) == TN_OK;
    ok = (!file || fclose(file) == 0) && ok;
    module_free(m);
    context_free(cx);
    return ok;
}
