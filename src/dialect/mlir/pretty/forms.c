/* The short forms of operations. */
#include "dialect/mlir/pretty/pretty.h"

void pretty_block(printer *p, const mir_region *region)
{
    p->depth++;
    for (uint32_t i = 0; i < region->n_ops && !p->out->failed; i++)
        pretty_op(p, region->ops[i]);
    p->depth--;
}

/* `^bb0(%arg1: T):`, if there are arguments, and the operations. */
static void put_region(printer *p, const mir_region *region)
{
    pretty_puts(p, "{\n");
    if (region->n_args) {
        pretty_indent(p);
        pretty_puts(p, "^bb0(");
    }
    for (uint32_t i = 0; i < region->n_args; i++) {
        pretty_label(p, &region->args[i], NAME_ARG);
        pretty_puts(p, i ? ", " : "");
        pretty_value(p, &region->args[i]);
        pretty_puts(p, ": ");
        pretty_text(p, region->args[i].type->text);
    }
    pretty_puts(p, region->n_args ? "):\n" : "");
    pretty_block(p, region);
    pretty_indent(p);
    pretty_puts(p, "}");
}

void pretty_generic(printer *p, const mir_op *o)
{
    text_putc(p->out, '"');
    pretty_text(p, o->name);
    pretty_puts(p, "\"(");
    pretty_values(p, o, 0, o->n_in);
    pretty_puts(p, ")");
    pretty_rest(p, o, "", " <{", "}>");
    for (uint32_t i = 0; i < o->n_regions; i++) {
        pretty_puts(p, i ? ", " : " (");
        put_region(p, &o->regions[i]);
    }
    pretty_puts(p, o->n_regions ? ")" : "");
    pretty_signature(p, o);
}

/* `%a, %b, word = value, ... {attributes} : types` */
void pretty_plain(printer *p, const mir_op *o, const char *names)
{
    uint32_t n = o->n_in;
    char shown[200] = "";
    text_putc(p->out, ' ');
    pretty_values(p, o, 0, n);
    for (const char *at = names; *at;) {
        const size_t length = strcspn(at, " ");
        const char *equals = memchr(at, '=', length);
        const mir_attr *a = NULL;
        if (equals) {
            const mir_text name = {equals + 1, length - (size_t)(equals + 1 - at)};
            for (uint32_t i = 0; i < o->attrs.n; i++)
                a = mir_same(o->attrs.at[i].name, name) ? o->attrs.at[i].value : a;
            if (a && strlen(shown) + name.n + 2 < sizeof shown) {
                pretty_puts(p, n++ ? ", " : "");
                pretty_text(p, (mir_text){at, (size_t)(equals - at)});
                pretty_puts(p, " = ");
                pretty_word_value(p, a);
                (void)strcat(shown, *shown ? " " : "");
                (void)strncat(shown, name.at, name.n);
            }
        }
        at += length + (at[length] == ' ');
    }
    pretty_rest(p, o, shown, " {", "}");
    pretty_types(p, o);
}

/* `LT, %a, %b, FLOAT` */
void pretty_compare(printer *p, const mir_op *o)
{
    const mir_attr *way = mir_attr_named(&o->attrs, "comparison_direction");
    const mir_attr *kind = mir_attr_named(&o->attrs, "compare_type");
    text_putc(p->out, ' ');
    pretty_word_value(p, way);
    pretty_puts(p, ", ");
    pretty_values(p, o, 0, o->n_in);
    if (kind) {
        pretty_puts(p, ", ");
        pretty_word_value(p, kind);
    }
    pretty_signature(p, o);
}

void pretty_constant(printer *p, const mir_op *o)
{
    text_putc(p->out, ' ');
    pretty_text(p, mir_attr_named(&o->attrs, "value")->whole);
}

/* The numbers of `array<i64: 1, 2>`, one after the other; AT moves on. */
static int64_t next_number(const char **at, const char *end)
{
    int64_t n = 0;
    bool minus = false;
    while (*at < end && **at != '-' && (**at < '0' || **at > '9'))
        ++*at;
    if (*at < end && **at == '-') {
        minus = true;
        ++*at;
    }
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
        n = n * 10 + (**at - '0');
    return minus ? -n : n;
}

/* `%a [0:4, 2:9:3]` */
void pretty_slice(printer *p, const mir_op *o)
{
    static const char *const names[] = {"start_indices", "limit_indices", "strides"};
    const char *at[3], *end[3];
    for (int i = 0; i < 3; i++) {
        const mir_text list = pretty_inside(mir_attr_named(&o->attrs, names[i])->whole, ':', '>');
        at[i] = list.at;
        end[i] = list.n ? list.at + list.n : list.at;
    }
    text_putc(p->out, ' ');
    pretty_values(p, o, 0, 1);
    pretty_puts(p, " [");
    for (uint32_t k = 0; k < o->out[0].type->rank; k++) {
        const int64_t from = next_number(&at[0], end[0]), to = next_number(&at[1], end[1]);
        const int64_t step = next_number(&at[2], end[2]);
        pretty_puts(p, k ? ", " : "");
        text_i64(p->out, from);
        text_putc(p->out, ':');
        text_i64(p->out, to);
        if (step != 1) {
            text_putc(p->out, ':');
            text_i64(p->out, step);
        }
    }
    pretty_puts(p, "]");
    pretty_signature(p, o);
}

/* The list NAME of the structure TEXT, with its brackets; empty: there is none. */
static mir_text list_in(mir_text text, const char *name)
{
    const size_t n = strlen(name);
    for (size_t i = 0; i + n < text.n; i++)
        if (memcmp(text.at + i, name, n) == 0) {
            const char *from = memchr(text.at + i, '[', text.n - i);
            const char *end = from ? memchr(from, ']', (size_t)(text.at + text.n - from)) : NULL;
            return end ? (mir_text){from, (size_t)(end + 1 - from)} : (mir_text){0};
        }
    return (mir_text){0};
}

/* `%a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST]`
 */
void pretty_dot_general(printer *p, const mir_op *o)
{
    static const char *const words[][3] = {
        {"batching_dims", "lhs_batching_dimensions", "rhs_batching_dimensions"},
        {"contracting_dims", "lhs_contracting_dimensions", "rhs_contracting_dimensions"}};
    const mir_text axes = mir_attr_named(&o->attrs, "dot_dimension_numbers")->text;
    const mir_attr *precision = mir_attr_named(&o->attrs, "precision_config");
    text_putc(p->out, ' ');
    pretty_values(p, o, 0, o->n_in);
    for (int i = 0; i < 2; i++) {
        const mir_text left = list_in(axes, words[i][1]), right = list_in(axes, words[i][2]);
        if (i == 0 && left.n <= 2)
            continue;
        pretty_puts(p, ", ");
        pretty_puts(p, words[i][0]);
        pretty_puts(p, " = ");
        left.n ? pretty_text(p, left) : pretty_puts(p, "[]");
        pretty_puts(p, " x ");
        right.n ? pretty_text(p, right) : pretty_puts(p, "[]");
    }
    if (precision) {
        pretty_puts(p, ", precision = ");
        pretty_word_value(p, precision);
    }
    pretty_rest(p, o, "dot_dimension_numbers precision_config", " {", "}");
    pretty_signature(p, o);
}

/* `(%a, %w) dim_numbers = [..]x[..]->[..], window = {stride = [1, 1], ..} {attributes} : sig` */
void pretty_convolution(printer *p, const mir_op *o)
{
    static const char *const words[][2] = {{"stride", "window_strides"},
                                           {"pad", "padding"},
                                           {"lhs_dilate", "lhs_dilation"},
                                           {"rhs_dilate", "rhs_dilation"},
                                           {"reverse", "window_reversal"}};
    pretty_puts(p, "(");
    pretty_values(p, o, 0, o->n_in);
    pretty_puts(p, ") dim_numbers = ");
    pretty_text(p, mir_attr_named(&o->attrs, "dimension_numbers")->text);
    pretty_puts(p, ", window = {");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        pretty_puts(p, i ? ", " : "");
        pretty_puts(p, words[i][0]);
        pretty_puts(p, " = ");
        pretty_word_value(p, mir_attr_named(&o->attrs, words[i][1]));
    }
    pretty_puts(p, "}");
    pretty_rest(
        p, o, "dimension_numbers window_strides padding lhs_dilation rhs_dilation window_reversal",
        " {", "}");
    pretty_signature(p, o);
}

/* `(%i = %a, %s = %b) : T, T cond { .. } do { .. }` */
void pretty_while(printer *p, const mir_op *o)
{
    for (uint32_t i = 0; i < o->n_in; i++) {
        pretty_label(p, &o->regions[0].args[i], NAME_ITER);
        p->labels[o->regions[1].args[i].number] = p->labels[o->regions[0].args[i].number];
        pretty_puts(p, i ? ", " : "(");
        pretty_value(p, &o->regions[0].args[i]);
        pretty_puts(p, " = ");
        pretty_value(p, o->in[i]);
    }
    pretty_puts(p, o->n_in ? ") : " : "()");
    pretty_operand_types(p, o);
    pretty_puts(p, "\n");
    pretty_indent(p);
    pretty_puts(p, "cond {\n");
    pretty_block(p, &o->regions[0]);
    pretty_indent(p);
    pretty_puts(p, "} do {\n");
    pretty_block(p, &o->regions[1]);
    pretty_indent(p);
    pretty_puts(p, "}");
}

/* The operation that is all that a reduction's body does, of its arguments in order; NULL: more. */
const mir_op *pretty_only_operation(const mir_op *o)
{
    const mir_region *region = &o->regions[0];
    if (o->n_in != 2 || region->n_ops != 2 || region->n_args != 2)
        return NULL;
    const mir_op *first = region->ops[0], *last = region->ops[1];
    return first->n_in == 2 && first->n_out == 1 && first->attrs.n == 0 && last->n_in == 1 &&
                   first->in[0] == &region->args[0] && first->in[1] == &region->args[1] &&
                   last->in[0] == &first->out[0]
               ? first
               : NULL;
}

/* `(%a init: %z) applies stablehlo.add across dimensions = [1] : sig` */
void pretty_reduce(printer *p, const mir_op *o, const mir_op *by)
{
    pretty_puts(p, "(");
    pretty_value(p, o->in[0]);
    pretty_puts(p, " init: ");
    pretty_value(p, o->in[1]);
    pretty_puts(p, ") applies ");
    pretty_text(p, by->name);
    pretty_puts(p, " across dimensions = ");
    pretty_word_value(p, mir_attr_named(&o->attrs, "dimensions"));
    pretty_signature(p, o);
}

/* `@f(%a) {attributes} : sig` */
void pretty_custom_call(printer *p, const mir_op *o)
{
    const mir_attr *name = mir_attr_named(&o->attrs, "call_target_name");
    bool is_plain = name->text.n > 0;
    for (size_t i = 0; i < name->text.n; i++) {
        const char c = name->text.at[i];
        is_plain = is_plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                                (i && ((c >= '0' && c <= '9') || c == '.')));
    }
    pretty_puts(p, " @");
    pretty_text(p, is_plain ? name->text : name->whole);
    pretty_puts(p, "(");
    pretty_values(p, o, 0, o->n_in);
    pretty_puts(p, ")");
    pretty_rest(p, o, "call_target_name", " {", "}");
    pretty_signature(p, o);
}

/* ` %a, %b : T, T` */
void pretty_return(printer *p, const mir_op *o)
{
    if (o->n_in == 0)
        return;
    text_putc(p->out, ' ');
    pretty_values(p, o, 0, o->n_in);
    pretty_puts(p, " : ");
    pretty_operand_types(p, o);
}
