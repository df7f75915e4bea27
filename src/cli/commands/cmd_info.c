/* tenon info: what a program takes and gives, what is in it, and what a run of it takes. */
#include <stdlib.h>
#include <string.h>

#include "cli/session/cli.h"
#include "tenon/convert.h"

enum { OPTION_JSON = OPTION_OWN, OPTION_BIND, OPTION_LEVEL };

static const option options[] = {
    {OPTION_JSON, "--json", NULL, "as one JSON object"},
    {OPTION_BIND, "--dim", "SYM=N", "the value of a symbolic size; memory and flops need all"},
    {OPTION_LEVEL, "-O", "0|1|2", "passes before memory and flops are counted (2)"},
    {0},
};

/* How often an operation stands in the program. */
typedef struct op_count {
    const char *name;
    uint64_t n;
} op_count;

/* An input or output, with its extents as texts. */
typedef struct port_facts {
    tn_port port;
    const char *extents[TN_MAX_RANK];
} port_facts;

typedef struct port_list {
    port_facts *at;
    size_t n;
} port_list;

/* Everything that is shown. */
typedef struct facts {
    session *s;
    const tn_module *m;
    tn_module_info info;
    const char *dialect; /* that was read */
    port_list inputs, outputs;
    tn_module_counts counts;
    tn_program_costs costs;
    bool has_costs; /* no size is open */
    op_count *ops;
    size_t n_ops, cap_ops;
    bool no_memory;
} facts;

/* ---- collecting ---- */

static bool count_op(void *user, const tn_walk_instruction *i)
{
    facts *f = user;
    size_t k = 0;
    while (k < f->n_ops && strcmp(f->ops[k].name, i->op) != 0)
        k++;
    if (k == f->n_ops) {
        f->ops = cli_grow(&f->s->memory, f->ops, &f->cap_ops, k, sizeof *f->ops);
        f->no_memory = !f->ops;
        if (f->no_memory)
            return false;
        f->ops[f->n_ops++] = (op_count){i->op, 0};
    }
    f->ops[k].n++;
    return true;
}

/* Most first, then by name. */
static int by_count(const void *a, const void *b)
{
    op_count x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    if (x.n != y.n)
        return x.n < y.n ? 1 : -1;
    return strcmp(x.name, y.name);
}

static tn_status collect_ops(facts *f)
{
    const tn_walker w = {.instruction = count_op, .user = f};
    (void)tn_module_walk(f->m, &w);
    if (f->no_memory)
        return no_memory(f->s);
    if (f->n_ops > 0)
        qsort(f->ops, f->n_ops, sizeof *f->ops, by_count);
    return TN_OK;
}

typedef tn_status port_fn(const tn_module *m, size_t index, tn_port *port);
typedef const char *extent_fn(const tn_module *m, size_t index, uint32_t axis);

static tn_status collect_ports(facts *f, port_fn *port_of, extent_fn *extent_of, size_t n,
                               port_list *out)
{
    *out = (port_list){cli_alloc(&f->s->memory, n, sizeof *out->at), n};
    if (!out->at)
        return no_memory(f->s);
    for (size_t i = 0; i < n; i++) {
        port_facts *p = &out->at[i];
        TN_TRY(port_of(f->m, i, &p->port));
        for (uint32_t k = 0; k < p->port.type.rank; k++) {
            p->extents[k] = extent_of(f->m, i, k);
            if (!p->extents[k])
                return no_memory(f->s);
        }
    }
    return TN_OK;
}

static tn_status collect_costs(facts *f, tn_compile_options *o)
{
    tn_program *p;
    f->has_costs = !tn_module_symbol(f->m, 0);
    if (!f->has_costs)
        return TN_OK;
    o->engine = "ref"; /* nothing is to run */
    TN_TRY(tn_program_compile(f->m, o, &p));
    f->costs.size = sizeof f->costs;
    const tn_status status = tn_program_get_costs(p, &f->costs);
    tn_program_free(p);
    return status;
}

static tn_status collect(facts *f, tn_compile_options *o)
{
    f->info.size = sizeof f->info;
    f->counts.size = sizeof f->counts;
    TN_TRY(tn_module_get_info(f->m, &f->info));
    f->dialect = f->info.lowered_from ? f->info.lowered_from : f->info.dialect;
    TN_TRY(collect_ports(f, tn_module_input, tn_module_input_extent, tn_module_input_count(f->m),
                         &f->inputs));
    TN_TRY(collect_ports(f, tn_module_output, tn_module_output_extent, tn_module_output_count(f->m),
                         &f->outputs));
    TN_TRY(tn_module_get_counts(f->m, &f->counts));
    TN_TRY(collect_ops(f));
    return collect_costs(f, o);
}

/* ---- showing ---- */

static void put_ports(const port_list *list, const char *word, cli_text *text)
{
    for (size_t i = 0; i < list->n; i++) {
        const port_facts *p = &list->at[i];
        cli_printf(text, "%s ", word);
        cli_put_name(text, p->port.name);
        cli_printf(text, ": %s[", tn_dtype_name(p->port.type.dtype));
        for (uint32_t k = 0; k < p->port.type.rank; k++)
            cli_printf(text, "%s%s", k ? ", " : "", p->extents[k]);
        cli_puts(text, "]\n");
    }
}

/* How the sizes are given that costs depend on. */
static void put_open_sizes(const facts *f, cli_text *text)
{
    enum { MOST = 16 }; /* the list of symbols has them all */
    const char *name;
    size_t i = 0;
    cli_puts(text, "memory, flops: known with all sizes:");
    for (; i < MOST && (name = tn_module_symbol(f->m, i)) != NULL; i++) {
        cli_puts(text, " --dim ");
        cli_put_name(text, name);
        cli_puts(text, "=N");
    }
    cli_puts(text, tn_module_symbol(f->m, i) ? " ...\n" : "\n");
}

static void put_text(const facts *f, cli_text *text)
{
    cli_printf(text, "dialect: %s\nentry: ", f->dialect ? f->dialect : "none");
    cli_put_name(text, f->info.entry);
    cli_putc(text, '\n');
    put_ports(&f->inputs, "input", text);
    put_ports(&f->outputs, "output", text);
    const char *symbol;
    for (size_t i = 0; (symbol = tn_module_symbol(f->m, i)) != NULL; i++) {
        cli_puts(text, i ? ", " : "sizes: ");
        cli_put_name(text, symbol);
    }
    cli_puts(text, tn_module_symbol(f->m, 0) ? "\n" : "");
    cli_printf(
        text, "parameters: %llu in %llu tensor%s, %llu byte%s\n",
        (unsigned long long)f->counts.parameters, (unsigned long long)f->counts.parameter_tensors,
        cli_plural(f->counts.parameter_tensors), (unsigned long long)f->counts.parameter_bytes,
        cli_plural(f->counts.parameter_bytes));
    if (f->has_costs)
        cli_printf(text, "memory: %llu byte%s beside inputs, outputs and parameters\nflops: %llu\n",
                   (unsigned long long)f->costs.memory_bytes, cli_plural(f->costs.memory_bytes),
                   (unsigned long long)f->costs.flops);
    else
        put_open_sizes(f, text);
    cli_printf(text, "operations: %llu\n", (unsigned long long)f->counts.operations);
    for (size_t i = 0; i < f->n_ops; i++)
        cli_printf(text, "  %llu %s\n", (unsigned long long)f->ops[i].n, f->ops[i].name);
}

static void put_json_ports(const port_list *list, const char *word, cli_text *text)
{
    cli_printf(text, ",\n \"%s\":[", word);
    for (size_t i = 0; i < list->n; i++) {
        const port_facts *p = &list->at[i];
        cli_puts(text, i ? ",\n  {\"name\":" : "\n  {\"name\":");
        cli_put_json(text, p->port.name, strlen(p->port.name));
        cli_printf(text, ",\"dtype\":\"%s\",\"shape\":[", tn_dtype_name(p->port.type.dtype));
        for (uint32_t k = 0; k < p->port.type.rank; k++) {
            cli_puts(text, k ? "," : "");
            if (p->port.type.dims[k] == TN_DIM_UNKNOWN)
                cli_put_json(text, p->extents[k], strlen(p->extents[k]));
            else
                cli_puts(text, p->extents[k]);
        }
        cli_puts(text, "]}");
    }
    cli_puts(text, "]");
}

static void put_json_text(const char *key, const char *value, cli_text *text)
{
    cli_puts(text, key);
    if (value)
        cli_put_json(text, value, strlen(value));
    else
        cli_puts(text, "null");
}

static void put_json(const facts *f, cli_text *text)
{
    put_json_text("{\"dialect\":", f->dialect, text);
    put_json_text(",\"entry\":", f->info.entry, text);
    put_json_ports(&f->inputs, "inputs", text);
    put_json_ports(&f->outputs, "outputs", text);
    cli_puts(text, ",\n \"symbols\":[");
    for (size_t i = 0; tn_module_symbol(f->m, i); i++)
        put_json_text(i ? "," : "", tn_module_symbol(f->m, i), text);
    cli_printf(
        text, "],\n \"parameters\":%llu,\"parameter_tensors\":%llu,\"parameter_bytes\":%llu,\n ",
        (unsigned long long)f->counts.parameters, (unsigned long long)f->counts.parameter_tensors,
        (unsigned long long)f->counts.parameter_bytes);
    if (f->has_costs)
        cli_printf(text, "\"memory_bytes\":%llu,\"flops\":%llu",
                   (unsigned long long)f->costs.memory_bytes, (unsigned long long)f->costs.flops);
    else
        cli_puts(text, "\"memory_bytes\":null,\"flops\":null");
    cli_printf(text, ",\n \"operations\":%llu,\"ops\":{", (unsigned long long)f->counts.operations);
    for (size_t i = 0; i < f->n_ops; i++) {
        put_json_text(i ? "," : "", f->ops[i].name, text);
        cli_printf(text, ":%llu", (unsigned long long)f->ops[i].n);
    }
    cli_puts(text, "}}\n");
}

/* ---- the command ---- */

static tn_status show(session *s, tn_module *m, const tn_compile_options *o, bool json)
{
    facts f = {.s = s, .m = m};
    tn_compile_options own = *o;
    cli_text text = {0};
    TN_TRY(tn_module_bind(m, o->bindings, o->n_bindings));
    own.bindings = NULL; /* they are in M now */
    own.n_bindings = 0;
    TN_TRY(collect(&f, &own));
    if (json)
        put_json(&f, &text);
    else
        put_text(&f, &text);
    const tn_status status = output_text(s, NULL, &text);
    cli_text_release(&text);
    return status;
}

static tn_status run_info(session *s, const arguments *args)
{
    const char *file;
    tn_module *m;
    bool json = false;
    tn_compile_options o = {.size = sizeof o};
    TN_TRY(arguments_one_file(s, args, &file));
    TN_TRY(read_bindings(s, args, OPTION_BIND, &o.bindings, &o.n_bindings));
    for (int i = 0; i < args->n_options; i++) {
        json = json || args->options[i].id == OPTION_JSON;
        if (args->options[i].id == OPTION_LEVEL)
            TN_TRY(read_level(s, args->options[i].value, &o.level));
    }
    TN_TRY(read_program(s, file, &m));
    const tn_status status = show(s, m, &o, json);
    tn_module_free(m);
    return status;
}

const command command_info = {"info",
                              "FILE [--json] [--dim SYM=N]... [-O0|-O1|-O2]",
                              "print inputs, outputs, sizes, operations and what a run takes",
                              options,
                              run_info,
                              true};
