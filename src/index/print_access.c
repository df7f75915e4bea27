/* Access maps as text: (i0, i1) -> [i0 - 2, i1 // 3] where 0 <= i0 - 2 < 15 else padding 0. */
#include <inttypes.h>

#include "index/access.h"

static void print_expr(const access_expr *e, text_buffer *out);

static void print_atom(const access_term *t, text_buffer *out)
{
    if (t->kind == ACCESS_AXIS) {
        text_printf(out, "i%" PRIu32, t->axis);
        return;
    }
    text_puts(out, "(");
    print_expr(t->of, out);
    text_printf(out, ") %s %" PRId64, t->kind == ACCESS_QUOTIENT ? "//" : "%", t->by);
}

static void print_expr(const access_expr *e, text_buffer *out)
{
    for (uint32_t i = 0; i < e->n; i++) {
        const access_term *t = &e->at[i];
        const int64_t factor = i && t->factor < 0 ? -t->factor : t->factor;
        text_puts(out, i == 0 ? "" : t->factor < 0 ? " - " : " + ");
        if (factor != 1)
            text_printf(out, "%" PRId64 " * ", factor);
        print_atom(t, out);
    }
    if (e->n == 0)
        text_printf(out, "%" PRId64, e->constant);
    else if (e->constant != 0)
        text_printf(out, " %c %" PRId64, e->constant < 0 ? '-' : '+',
                    e->constant < 0 ? -e->constant : e->constant);
}

void access_print(const access_map *map, text_buffer *out)
{
    text_puts(out, "(");
    for (uint32_t i = 0; i < map->rank; i++)
        text_printf(out, "%si%" PRIu32, i ? ", " : "", i);
    text_puts(out, ") -> [");
    for (uint32_t i = 0; i < map->n_source; i++) {
        text_puts(out, i ? ", " : "");
        print_expr(map->at[i], out);
    }
    text_puts(out, "]");
    for (uint32_t i = 0; i < map->n_guards; i++) {
        const access_guard *g = &map->guards[i];
        text_printf(out, "%s %" PRId64 " <= ", i ? "," : " where", g->low);
        print_expr(g->of, out);
        text_printf(out, " < %" PRId64 " else padding %" PRIu32, g->high, g->fill);
    }
}
