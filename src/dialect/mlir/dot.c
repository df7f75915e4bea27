/* A program as a picture: Graphviz, one box a node, one cluster a function. */
#include <stdio.h>

#include "dialect/mlir/mlir.h"

static const char *text_of_op(op_id op)
{
    return op_table[op].text;
}

static bool takes_all(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    (void)f;
    (void)n;
    (void)why;
    return true;
}

/* TEXT inside a quoted label. */
static void put_escaped(text_buffer *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"' || text[i] == '\\')
            text_putc(out, '\\');
        if ((unsigned char)text[i] >= ' ')
            text_putc(out, text[i]);
        else
            text_puts(out, text[i] == '\n' ? "\\n" : "?");
    }
}

static void put_words(text_buffer *out, const char *text)
{
    put_escaped(out, text, strlen(text));
}

/* Attributes that the rest of the label does not show, one a line. */
static void put_attributes(text_buffer *out, const function *f, const node *n)
{
    text_buffer one;
    text_init(&one, f->module->allocator);
    for (uint32_t i = 0; i < n->attrs->n; i++) {
        const attr *a = &n->attrs->at[i];
        if (a->key == KEY_TYPE || a->key == KEY_NAME || a->key == KEY_VALUE)
            continue;
        text_reset(&one);
        attr_print(f->module, a, &one);
        text_puts(out, "\\n");
        put_escaped(out, one.at ? one.at : "", one.n);
        out->failed = out->failed || one.failed;
    }
    text_release(&one);
}

static void put_node(text_buffer *out, const function *f, uint32_t which, uint32_t k)
{
    const node *n = &f->nodes.at[k];
    arena names;
    arena_init(&names, f->module->allocator);
    const char *given = n->op == OP_INPUT ? attr_string(n->attrs, KEY_NAME) : n->name;
    const char *shape = n->op == OP_INPUT ? "ellipse" : n->op == OP_CONSTANT ? "note" : "box";
    text_printf(out, "    f%un%u [shape=%s, label=\"", which, k, shape);
    put_words(out, op_table[n->op].text);
    if (given) {
        text_putc(out, ' ');
        put_words(out, given);
    }
    put_attributes(out, f, n);
    for (uint32_t r = 0; r < n->n_results; r++) {
        text_puts(out, "\\n");
        put_words(out, type_text(&names, &f->module->types, value_type(f, n->first_value + r)));
    }
    text_puts(out, "\"];\n");
    arena_release(&names);
}

/* Edges carry the position of the operand where there are several, and of the result. */
static void put_edge(text_buffer *out, const function *f, uint32_t which, value_id v,
                     const char *to, uint32_t operand, bool is_one)
{
    uint32_t from = f->values.at[v].node;
    const node *n = &f->nodes.at[from];
    text_printf(out, "    f%un%u -> %s", which, from, to);
    if (n->n_results > 1)
        text_printf(out, " [taillabel=\"%u\"%s", v - n->first_value, is_one ? "]" : ", ");
    if (!is_one)
        text_printf(out, "%sheadlabel=\"%u\"]", n->n_results > 1 ? "" : " [", operand);
    text_puts(out, ";\n");
}

static void put_function(text_buffer *out, const module *m, uint32_t which)
{
    const function *f = m->functions.at[which];
    char to[48];
    text_printf(out, "  subgraph cluster_%u {\n    label=\"", which);
    put_words(out, f->name && f->name[0] ? f->name : "main");
    text_puts(out, "\";\n");
    for (uint32_t k = 0; k < f->nodes.n && !out->failed; k++)
        put_node(out, f, which, k);
    for (uint32_t i = 0; i < f->outputs.n; i++)
        text_printf(out, "    f%uo%u [shape=doublecircle, label=\"%u\"];\n", which, i, i);
    for (uint32_t k = 0; k < f->nodes.n && !out->failed; k++)
        for (uint32_t i = 0; i < f->nodes.at[k].n_in; i++) {
            (void)snprintf(to, sizeof to, "f%un%u", which, k);
            put_edge(out, f, which, f->nodes.at[k].in[i], to, i, f->nodes.at[k].n_in == 1);
        }
    for (uint32_t i = 0; i < f->outputs.n; i++) {
        (void)snprintf(to, sizeof to, "f%uo%u", which, i);
        put_edge(out, f, which, f->outputs.at[i], to, 0, true);
    }
    text_puts(out, "  }\n");
}

/* From a node to the regions that it runs. */
static void put_regions(text_buffer *out, const module *m, uint32_t which)
{
    const function *f = m->functions.at[which];
    for (uint32_t k = 0; k < f->nodes.n; k++)
        for (uint32_t i = 0; i < f->nodes.at[k].attrs->n; i++) {
            const attr *a = &f->nodes.at[k].attrs->at[i];
            if (attr_keys[a->key].kind != ATTR_FUNCTION || a->v.i < 0 ||
                a->v.i >= (int64_t)m->functions.n || m->functions.at[a->v.i]->nodes.n == 0)
                continue;
            text_printf(out, "  f%un%u -> f%un0 [style=dashed, lhead=cluster_%u, label=\"%s\"];\n",
                        which, k, (uint32_t)a->v.i, (uint32_t)a->v.i, attr_keys[a->key].name);
        }
}

tn_status dot_write(const module *m, const write_options *options, text_buffer *out)
{
    (void)options;
    text_puts(out, "digraph tenon {\n  compound=true;\n  node [fontname=\"monospace\"];\n");
    for (uint32_t i = 0; i < m->functions.n; i++)
        put_function(out, m, i);
    for (uint32_t i = 0; i < m->functions.n; i++)
        put_regions(out, m, i);
    text_puts(out, "}\n");
    return TN_OK;
}

static const expressible dot_expressible = {
    .family = "dot",
    .dtypes = (1U << TN_DTYPE_COUNT) - 1,
    .symbols = true,
    .many_functions = true,
    .takes = takes_all,
};

const dialect dialect_dot = {
    .name = "dot",
    .extensions = ".dot .gv",
    .styles = "canonical",
    .write = dot_write,
    .code_of = no_code,
    .looks_like = never_looks_like,
    .spelling = text_of_op,
    .can = &dot_expressible,
};
