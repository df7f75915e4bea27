/* Kernels as text, for dumps. */
#include <inttypes.h>

#include "plan/kernel.h"

const char *kernel_kind_name(kernel_kind kind)
{
    static const char *const names[] = {[KERNEL_MAP] = "map",
                                        [KERNEL_ROWS] = "rows",
                                        [KERNEL_CONTRACT] = "contract",
                                        [KERNEL_UPDATE] = "update",
                                        [KERNEL_STAGES] = "stages",
                                        [KERNEL_LOOPS] = "loops",
                                        [KERNEL_REFERENCE] = "reference"};
    return names[kind];
}

static void print_positions(const kernel *k, text_buffer *out)
{
    text_puts(out, "[");
    for (uint32_t i = 0; i < k->rank; i++)
        text_printf(out, "%s%" PRId64 "%s", i ? ", " : "", k->dims[i],
                    k->reduced >> i & 1 ? " reduced" : "");
    text_puts(out, "]");
}

static void print_value(const function *f, value_id v, text_buffer *out)
{
    text_printf(out, " %%%" PRIu32 " ", v);
    const type *t = value_type(f, v);
    text_printf(out, "%s[", dtype_name(t->dtype));
    for (uint32_t i = 0; i < t->rank; i++)
        text_printf(out, "%s%" PRId64, i ? ", " : "", t->dims[i]);
    text_puts(out, "]");
}

static void print_places(const kernel_output *o, text_buffer *out)
{
    text_puts(out, " at ");
    access_print(o->from, out);
    text_printf(out, " into %%%" PRIu32 " at ", o->into);
    access_print(o->to, out);
    text_puts(out, o->is_window ? " of the window" : "");
}

static void print_at(const function *f, const kernel *k, unsigned depth, text_buffer *out)
{
    const int pad = (int)(2 * depth);
    text_printf(out, "%*s%s over ", pad, "", kernel_kind_name(k->kind));
    print_positions(k, out);
    text_puts(out, k->draws ? ", draws" : "");
    text_printf(out, "%s\n%*s  computes", k->is_split ? ", split" : "", pad, "");
    for (uint32_t i = 0; i < k->n_nodes; i++) {
        const node *n = &f->nodes.at[k->nodes[i]];
        text_printf(out, " %%%" PRIu32 " %s", n->first_value, op_table[n->op].text);
    }
    text_printf(out, "\n%*s  reads", pad, "");
    for (uint32_t i = 0; i < k->n_in; i++)
        print_value(f, k->in[i], out);
    if (k->operands) {
        text_printf(out, "\n%*s  reduces ", pad, "");
        access_print(k->operands, out);
    }
    for (uint32_t i = 0; i < k->n_out; i++) {
        text_printf(out, "\n%*s  writes", pad, "");
        print_value(f, k->out[i].value, out);
        if (k->out[i].from)
            print_places(&k->out[i], out);
    }
    text_puts(out, "\n");
    for (uint32_t i = 0; i < k->n_stages; i++)
        print_at(f, &k->stages[i], depth + 1, out);
}

void kernel_print(const function *f, const kernel *k, text_buffer *out)
{
    print_at(f, k, 0, out);
}
