/* tenon ops: the vocabulary as one table, or all about one operation. */
#include <string.h>

#include "cli/session/cli.h"
#include "tenon/convert.h"

enum { OPTION_LEGALITY = OPTION_OWN, OPTION_JSON };

static void put_padded(cli_text *out, const char *text, size_t width)
{
    size_t n = strlen(text);
    cli_puts(out, text);
    cli_fill(out, ' ', n < width ? width - n : 1);
}

static void put_arity(cli_text *out, const tn_op_info *op)
{
    cli_printf(out, "%u", (unsigned)op->min_operands);
    if (op->max_operands == TN_ARITY_ANY) {
        cli_puts(out, "..");
    } else if (op->max_operands != op->min_operands) {
        cli_puts(out, "..");
        cli_printf(out, "%u", (unsigned)op->max_operands);
    }
}

/* Operands, type rule, kernel, derivative and lowering in columns; then the help. */
static void put_table(cli_text *out)
{
    tn_op_info op;
    cli_puts(out, "# operation            in    type rule          kernel             derivative  "
                  "lowering    meaning\n");
    for (size_t i = 0; tn_op_at(i, &op); i++) {
        put_padded(out, op.name, 23);
        size_t begin = out->n;
        put_arity(out, &op);
        cli_fill(out, ' ', 6 - (out->n - begin));
        put_padded(out, op.type_rule, 19);
        put_padded(out, op.kernel, 19);
        put_padded(out, op.derivative, 12);
        put_padded(out, op.lowering, 12);
        cli_puts(out, op.help);
        cli_putc(out, '\n');
    }
}

static void put_attributes(cli_text *out, size_t index)
{
    tn_op_attribute_info a;
    for (size_t i = 0; tn_op_attribute(index, i, &a); i++) {
        cli_puts(out, i ? "             " : "attributes   ");
        put_padded(out, a.name, 22);
        put_padded(out, a.kind_name, 9);
        put_padded(out, a.required ? "required" : "optional", 10);
        cli_puts(out, a.help);
        if (a.words) {
            cli_puts(out, ": ");
            cli_puts(out, a.words);
        }
        cli_putc(out, '\n');
    }
}

/* The fields of an operation in a dialect, in braces: `axes`, optional ones as `axes?`, and in
 * parentheses the attribute where it has another name. */
static bool put_fields(cli_text *out, size_t index, const char *dialect_name)
{
    tn_op_field_info f;
    size_t i = 0;
    for (; tn_op_field(index, dialect_name, i, &f); i++) {
        cli_puts(out, i ? ", " : " {");
        cli_puts(out, f.name);
        cli_puts(out, f.required ? "" : "?");
        if (f.attribute && strcmp(f.attribute, f.name) != 0)
            cli_printf(out, " (%s)", f.attribute);
    }
    cli_puts(out, i ? "}" : "");
    return i > 0;
}

static void put_spellings(cli_text *out, size_t index)
{
    tn_dialect_info dialect;
    bool has_fields = false;
    for (size_t i = 0; tn_dialect_at(i, &dialect); i++) {
        const char *spelling = tn_op_spelling(index, dialect.name);
        cli_puts(out, i ? "             " : "spelling     ");
        put_padded(out, dialect.name, 13);
        cli_puts(out, spelling ? spelling : "none");
        has_fields = put_fields(out, index, dialect.name) || has_fields;
        cli_putc(out, '\n');
    }
    if (has_fields)
        cli_puts(out,
                 "             in braces: what stands there beside operands, `?` where it may be "
                 "absent,\n             and (in parentheses) the attribute above that it is\n");
}

static void put_line(cli_text *out, const char *label, const char *text)
{
    put_padded(out, label, 13);
    cli_puts(out, text);
    cli_putc(out, '\n');
}

static void put_page(cli_text *out, size_t index, const tn_op_info *op)
{
    cli_puts(out, op->name);
    cli_puts(out, ": ");
    cli_puts(out, op->help);
    cli_puts(out, "\n\n");
    put_padded(out, "operands", 13);
    put_arity(out, op);
    cli_putc(out, '\n');
    put_attributes(out, index);
    put_padded(out, "traits", 13);
    const char *trait;
    for (size_t i = 0; (trait = tn_op_trait(index, i)) != NULL; i++) {
        cli_puts(out, i ? ", " : "");
        cli_puts(out, trait);
    }
    cli_puts(out, tn_op_trait(index, 0) ? "\n" : "none\n");
    put_line(out, "type rule", op->type_rule);
    put_line(out, "kernel", op->kernel);
    put_line(out, "derivative", op->derivative);
    put_line(out, "lowering", op->lowering);
    put_spellings(out, index);
}

static tn_status put_one(session *s, cli_text *out, const char *name)
{
    tn_op_info op;
    const char **names = cli_alloc(&s->memory, tn_op_count(), sizeof *names);
    if (!names)
        return no_memory(s);
    for (size_t i = 0; tn_op_at(i, &op); i++) {
        if (strcmp(op.name, name) == 0) {
            put_page(out, i, &op);
            return TN_OK;
        }
        names[i] = op.name;
    }
    advise_name(s, name, strlen(name), names, tn_op_count());
    return usage_error(s, "there is no operation '%s'; 'tenon ops' lists them", name);
}

/* One line for each operation and dialect that programs can be converted to, for scripts: what
 * `convert` does with it. */
static void put_legality(cli_text *out)
{
    static const char *const states[] = {"spelt", "expanded", "relaxed", "never"};
    tn_op_info op;
    tn_dialect_info d;
    for (size_t i = 0; tn_op_at(i, &op); i++)
        for (size_t k = 0; tn_dialect_at(k, &d); k++) {
            tn_legality legality;
            const char *how;
            if (!tn_op_legality(i, d.name, &legality, &how))
                continue;
            const char *spelling = tn_op_spelling(i, d.name);
            cli_printf(out, "%s\t%s\t%s\t%s\n", op.name, d.name, states[legality],
                       legality == TN_LEGAL_SPELT ? spelling
                       : how                      ? how
                                                  : "-");
        }
}

static void put_member(cli_text *out, const char *key, const char *text)
{
    cli_printf(out, ",\"%s\":", key);
    if (text)
        cli_put_json(out, text, strlen(text));
    else
        cli_puts(out, "null");
}

static void put_json_attributes(cli_text *out, size_t index)
{
    tn_op_attribute_info a;
    cli_puts(out, ",\"attributes\":[");
    for (size_t i = 0; tn_op_attribute(index, i, &a); i++) {
        cli_printf(out, "%s{\"required\":%s", i ? "," : "", a.required ? "true" : "false");
        put_member(out, "name", a.name);
        put_member(out, "kind", a.kind_name);
        put_member(out, "help", a.help);
        put_member(out, "words", a.words);
        cli_putc(out, '}');
    }
    cli_putc(out, ']');
}

static void put_json_fields(cli_text *out, size_t index)
{
    tn_dialect_info dialect;
    tn_op_field_info f;
    cli_puts(out, ",\"fields\":{");
    bool first = true;
    for (size_t i = 0; tn_dialect_at(i, &dialect); i++) {
        if (!tn_op_field(index, dialect.name, 0, &f))
            continue;
        cli_printf(out, "%s\"%s\":[", first ? "" : ",", dialect.name);
        first = false;
        for (size_t k = 0; tn_op_field(index, dialect.name, k, &f); k++) {
            cli_printf(out, "%s{\"required\":%s", k ? "," : "", f.required ? "true" : "false");
            put_member(out, "name", f.name);
            put_member(out, "type", f.type);
            put_member(out, "attribute", f.attribute);
            put_member(out, "words", f.words);
            cli_putc(out, '}');
        }
        cli_putc(out, ']');
    }
    cli_putc(out, '}');
}

static void put_json_dialects(cli_text *out, size_t index, const char *op_name)
{
    tn_dialect_info dialect;
    cli_puts(out, ",\"spellings\":{\"tenon\":");
    cli_put_json(out, op_name, strlen(op_name));
    for (size_t i = 0; tn_dialect_at(i, &dialect); i++)
        put_member(out, dialect.name, tn_op_spelling(index, dialect.name));
    cli_puts(out, "},\"traits\":[");
    const char *trait;
    for (size_t i = 0; (trait = tn_op_trait(index, i)) != NULL; i++) {
        cli_puts(out, i ? "," : "");
        cli_put_json(out, trait, strlen(trait));
    }
    cli_putc(out, ']');
}

/* The whole table, for scripts. */
static void put_json(cli_text *out)
{
    tn_op_info op;
    for (size_t i = 0; tn_op_at(i, &op); i++) {
        cli_printf(out, "%s{\"min_operands\":%u", i ? ",\n" : "[", (unsigned)op.min_operands);
        if (op.max_operands == TN_ARITY_ANY)
            cli_puts(out, ",\"max_operands\":null");
        else
            cli_printf(out, ",\"max_operands\":%u", (unsigned)op.max_operands);
        put_member(out, "name", op.name);
        put_member(out, "help", op.help);
        put_member(out, "type_rule", op.type_rule);
        put_member(out, "kernel", op.kernel);
        put_member(out, "derivative", op.derivative);
        put_member(out, "lowering", op.lowering);
        put_json_attributes(out, i);
        put_json_fields(out, i);
        put_json_dialects(out, i, op.name);
        cli_putc(out, '}');
    }
    cli_puts(out, "]\n");
}

static tn_status run_ops(session *s, const arguments *args)
{
    cli_text out = {0};
    tn_status status = TN_OK;
    if (args->n_files > 1)
        return usage_error(s, "'ops' takes one operation, not %d", args->n_files);
    if (args->n_options + args->n_files > 1)
        return usage_error(s, "an operation, --legality and --json exclude each other");
    if (args->n_options && args->options[0].id == OPTION_JSON)
        put_json(&out);
    else if (args->n_options)
        put_legality(&out);
    else if (args->n_files)
        status = put_one(s, &out, args->files[0]);
    else
        put_table(&out);
    if (status == TN_OK)
        status = output_text(s, NULL, &out);
    cli_text_release(&out);
    return status;
}

static const option options[] = {
    {OPTION_LEGALITY, "--legality", NULL,
     "what conversion does with each in each dialect, for scripts"},
    {OPTION_JSON, "--json", NULL, "the whole table, for scripts"},
    {0},
};

const command command_ops = {
    "ops", "[OP | --legality | --json]", "print the operations, or all about one", options, run_ops,
    false};
