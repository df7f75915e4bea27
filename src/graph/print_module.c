/* The debug form of a module: one line a node, every attribute and type. */
#include <inttypes.h>

#include "base/text/shown.h"
#include "graph/module.h"

static void put_ints(text_buffer *out, const module *m, const int64_t *v, uint32_t n)
{
    arena texts;
    arena_init(&texts, out->allocator);
    text_puts(out, dims_text(&texts, &m->types, v, n));
    arena_release(&texts);
}

void type_print(const module *m, const type *t, text_buffer *out)
{
    text_puts(out, dtype_name(t->dtype));
    put_ints(out, m, t->dims, t->rank);
}

void element_print(const scalar *s, text_buffer *out)
{
    switch (s->kind) {
    case DTYPE_BOOL:
        text_puts(out, s->u ? "true" : "false");
        break;
    case DTYPE_SIGNED:
        text_i64(out, s->i);
        break;
    case DTYPE_UNSIGNED:
        text_u64(out, s->u);
        break;
    case DTYPE_FLOAT:
        text_f64(out, s->f);
        break;
    case DTYPE_COMPLEX:
        text_f64(out, s->f);
        text_puts(out, "+i*");
        text_f64(out, s->im);
        break;
    }
}

void attr_print(const module *m, const attr *a, text_buffer *out)
{
    text_puts(out, attr_keys[a->key].name);
    text_putc(out, '=');
    switch (attr_keys[a->key].kind) {
    case ATTR_INT:
        text_i64(out, a->v.i);
        break;
    case ATTR_BOOL:
        text_puts(out, a->v.i ? "true" : "false");
        break;
    case ATTR_FLOAT:
        text_f64(out, a->v.f);
        break;
    case ATTR_INTS:
        put_ints(out, m, a->v.ints, a->n);
        break;
    case ATTR_WORD: {
        size_t n;
        const char *word = attr_word_text((attr_key)a->key, a->v.i, &n);
        text_put(out, word ? word : "?", word ? n : 1);
        break;
    }
    case ATTR_DTYPE:
        text_puts(out, dtype_name((tn_dtype)a->v.i));
        break;
    case ATTR_STRING:
        text_json_string(out, a->v.s, strlen(a->v.s));
        break;
    case ATTR_SCALAR:
        element_print(a->v.scalar, out);
        break;
    case ATTR_TYPE:
        type_print(m, a->v.type, out);
        break;
    case ATTR_TYPES:
        for (uint32_t i = 0; i < a->n; i++) {
            text_puts(out, i ? ", " : "(");
            type_print(m, a->v.types[i], out);
        }
        text_puts(out, a->n ? ")" : "()");
        break;
    case ATTR_LITERAL:
        type_print(m, a->v.literal->type, out);
        text_printf(out, ":%016" PRIx64 "%s",
                    hash_bytes(0, a->v.literal->data, a->v.literal->bytes),
                    a->v.literal->splat ? " splat" : "");
        break;
    case ATTR_FUNCTION:
        text_printf(out, "^%" PRId64, a->v.i);
        break;
    case ATTR_DICT:
        for (uint32_t i = 0; i < a->n; i++) {
            text_puts(out, i ? ", " : "{");
            text_puts_shown(out, a->v.dict[i].key);
        }
        text_puts(out, a->n ? "}" : "{}");
        break;
    }
}

void node_print(const function *f, const node *n, text_buffer *out)
{
    text_puts(out, "  ");
    for (uint32_t r = 0; r < n->n_results; r++)
        text_printf(out, "%s%%%" PRIu32, r ? ", " : "", n->first_value + r);
    text_printf(out, " = %s", op_table[n->op].text);
    for (uint32_t k = 0; k < n->n_in; k++)
        text_printf(out, "%s%%%" PRIu32, k ? ", " : " ", n->in[k]);
    for (uint32_t k = 0; k < n->attrs->n; k++) {
        text_puts(out, k ? ", " : " {");
        attr_print(f->module, &n->attrs->at[k], out);
    }
    text_puts(out, n->attrs->n ? "} : " : " : ");
    for (uint32_t r = 0; r < n->n_results; r++) {
        text_puts(out, r ? ", " : "");
        type_print(f->module, value_type(f, n->first_value + r), out);
    }
    text_putc(out, '\n');
}

void module_print(const module *m, text_buffer *out)
{
    for (uint32_t i = 0; i < m->functions.n; i++) {
        const function *f = m->functions.at[i];
        text_puts(out, f->is_region ? "region @" : "function @");
        text_puts_shown(out, f->name ? f->name : "main");
        text_puts(out, " {\n");
        for (uint32_t k = 0; k < f->nodes.n; k++)
            node_print(f, &f->nodes.at[k], out);
        text_puts(out, "  return");
        for (uint32_t k = 0; k < f->outputs.n; k++)
            text_printf(out, "%s%%%" PRIu32, k ? ", " : " ", f->outputs.at[k]);
        text_puts(out, "\n}\n");
    }
}
