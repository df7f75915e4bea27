/* Plans as text and as JSON. */
#include "compile/explain/explain.h"

#include <inttypes.h>

#include "base/text/shown.h"
#include "compile/compiled.h"
#include "compile/explain/run_cost.h"
#include "compile/tiers/tiers.h"
#include "runtime/tape.h"
#include "target/target.h"

typedef struct explainer {
    const function *f;
    text_buffer *out;
    const jit_plan *plan;
    arena *memory;
    const code_tier *tier; /* of each unit's first code */
    machine_limits limits;
    bool is_measured;
    bool has_sizes; /* the program has symbolic sizes */
    run_cost together;
} explainer;

static const char *kind_name(const kernel *k, const kernel_plan *plan)
{
    return kernel_kind_name(plan->by_reference ? KERNEL_REFERENCE : k->kind);
}

static void put_name(const explainer *x, value_id v)
{
    const node *n = node_of(x->f, v);
    text_printf(x->out, "%%%" PRIu32, v);
    if (n->op == OP_INPUT && attr_string(n->attrs, KEY_NAME)) {
        text_puts(x->out, " '");
        text_puts_shown(x->out, attr_string(n->attrs, KEY_NAME));
        text_puts(x->out, "'");
    }
}

static void put_type(const explainer *x, value_id v)
{
    const type *t = value_type(x->f, v);
    text_puts(x->out, dtype_name(t->dtype));
    for (uint32_t i = 0; i < t->rank; i++)
        text_printf(x->out, "%s%" PRId64, i ? ", " : "[", t->dims[i]);
    text_puts(x->out, t->rank ? "]" : "[]");
}

static const char *const limit_names[] = {"memory", "arithmetic", "model", "loop"};

/* A number with a unit: three digits and a prefix. */
static void put_amount(text_buffer *out, double x, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T"};
    uint32_t p = 0;
    while (x >= 1000 && p + 1 < sizeof prefixes / sizeof *prefixes) {
        x /= 1000;
        p++;
    }
    const uint64_t tenths = (uint64_t)(x * 10 + 0.5);
    text_printf(out, "%" PRIu64 ".%u %s%s", tenths / 10, (unsigned)(tenths % 10), prefixes[p],
                unit);
}

/* The most that there are where it is more: loops in each other ask for any number. */
static uint64_t nanoseconds(double seconds)
{
    const double ns = seconds * 1e9 + 0.5;
    return ns < 0x1p64 ? (uint64_t)ns : UINT64_MAX;
}

static void put_seconds(text_buffer *out, double seconds)
{
    const uint64_t ns = nanoseconds(seconds);
    text_printf(out, "%" PRIu64 ".%03u us", ns / 1000, (unsigned)(ns % 1000));
}

/* ---- text ---- */

static void put_values(const explainer *x, const char *title, const value_id *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        text_printf(x->out, "  %-10s ", i ? "" : title);
        put_name(x, v[i]);
        text_puts(x->out, " ");
        put_type(x, v[i]);
        text_puts(x->out, "\n");
    }
}

static void put_cost(const explainer *x, const kernel_plan *plan)
{
    const uint64_t bytes = plan->nest->bytes, flops = plan->nest->flops;
    text_puts(x->out, "  moves      ");
    put_amount(x->out, (double)bytes, "B");
    text_puts(x->out, ", computes ");
    put_amount(x->out, (double)flops, "flop");
    if (x->is_measured) {
        const least_time t = least_time_of(&x->limits, plan->nest);
        text_puts(x->out, t.why == LIMIT_MODEL ? "; about " : "; at least ");
        put_seconds(x->out, t.seconds);
        text_printf(x->out, " (%s)",
                    t.why == LIMIT_LOOP ? "data say how often its loop runs" : limit_names[t.why]);
    }
    text_puts(x->out, "\n");
}

static const char *stage_kind(const kernel *stage)
{
    return stage->kind == KERNEL_CONTRACT ? "contract" : "rows";
}

static uint64_t bytes_of(const explainer *x, value_id v)
{
    return type_known_bytes(value_type(x->f, v));
}

/* Bytes of scratch memory that a thread needs. */
static uint64_t scratch_of(const kernel_plan *plan)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < plan->nest->n_steps; i++)
        most = plan->steps[i].scratch > most ? plan->steps[i].scratch : most;
    return most;
}

static void put_stages(explainer *x, const kernel *k, const kernel_plan *plan)
{
    for (uint32_t i = 0; i < k->n_stages; i++) {
        const kernel *stage = &k->stages[i];
        text_printf(x->out, "  %-10s %s: %s\n", i ? "" : "stages", stage_kind(stage),
                    jit_kernel_name(x->f, stage, x->memory));
        if (i + 1 == k->n_stages)
            break;
        text_printf(x->out, "  %-10s   leaves ", "");
        put_name(x, stage->out[0].into);
        text_puts(x->out, " ");
        put_type(x, stage->out[0].into);
        text_puts(x->out, " to the next: ");
        put_amount(x->out, (double)bytes_of(x, stage->out[0].into), "B");
        text_puts(x->out, " that are never in memory\n");
    }
    if (k->n_stages == 0)
        return;
    text_puts(x->out, "  scratch    ");
    put_amount(x->out, (double)scratch_of(plan), "B");
    text_puts(x->out, " a thread\n");
}

/* How many numbers the steps of PLAN read beside their buffers. */
static uint32_t numbers_of(const kernel_plan *plan)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < plan->nest->n_steps; i++)
        n += plan->steps[i].n_numbers;
    return n;
}

static void put_schedules(const explainer *x, const kernel_plan *plan)
{
    for (uint32_t i = 0; i < plan->nest->n_schedules; i++) {
        text_printf(x->out, "  %-10s ", i ? "" : "schedule");
        contract_schedule_print(&plan->nest->schedules[i], x->out);
        text_puts(x->out, "\n");
    }
}

static void put_json_schedules(const explainer *x, const kernel_plan *plan)
{
    if (plan->nest->n_schedules == 0)
        return;
    text_puts(x->out, ",\"schedules\":[");
    for (uint32_t i = 0; i < plan->nest->n_schedules; i++) {
        text_puts(x->out, i ? ",\"" : "\"");
        contract_schedule_print(&plan->nest->schedules[i], x->out);
        text_puts(x->out, "\"");
    }
    text_puts(x->out, "]");
}

/* Whether code depends on the symbolic sizes. */
static void put_sizes(const explainer *x, const kernel_plan *plan)
{
    if (!x->has_sizes || plan->by_reference)
        return;
    text_puts(x->out, "  sizes      ");
    if (!plan->is_generic)
        text_puts(x->out, "are in the code: others need other code\n");
    else if (numbers_of(plan) == 0)
        text_puts(x->out, "do not matter\n");
    else
        text_printf(x->out, "are given to the code, as %" PRIu32 " number%s\n", numbers_of(plan),
                    plural(numbers_of(plan)));
}

static void put_kernel(explainer *x, uint32_t number, const kernel *k, const kernel_plan *plan)
{
    text_printf(x->out, "kernel %" PRIu32 ": %s: %s\n", number, kind_name(k, plan),
                jit_kernel_name(x->f, k, x->memory));
    for (uint32_t i = 0; i < plan->nest->n_steps; i++)
        text_printf(x->out, "  %-10s %s, %" PRId64 " item%s, %" PRId64 " or more a thread\n",
                    i ? "" : "how", plan->nest->steps[i].how, plan->nest->steps[i].work,
                    plural((uint64_t)plan->nest->steps[i].work), plan->nest->steps[i].grain);
    put_schedules(x, plan);
    put_stages(x, k, plan);
    put_sizes(x, plan);
    put_values(x, "reads", k->in, k->n_in);
    for (uint32_t i = 0; i < k->n_out; i++)
        put_values(x, i ? "" : "writes", &k->out[i].into, 1);
    if (!plan->by_reference)
        put_cost(x, plan);
    for (uint32_t i = 0; i < k->n_edges; i++) {
        text_printf(x->out, "  %-10s ", i ? "" : "not fused");
        put_name(x, k->edges[i].value);
        text_printf(x->out, ": %s\n", k->edges[i].why);
    }
}

/* Why a function without kernels has none. */
static const char *why_none(const function_plan *p)
{
    return p->role == FUNCTION_UNUSED     ? "the entry does not lead to it"
           : p->role == FUNCTION_IN_LOOPS ? "it is part of a kernel that loops over it"
                                          : p->why;
}

static void put_function(explainer *x, const function_plan *p)
{
    const uint32_t n = p->plans ? p->kernels.n : 0;
    text_puts(x->out, p->f->is_region ? "region " : "function ");
    text_puts_shown(x->out, p->f->name ? p->f->name : "main");
    text_printf(x->out, ": %" PRIu32 " node%s, %" PRIu32 " kernel%s\n", p->f->nodes.n,
                plural(p->f->nodes.n), n, plural(n));
    if (!p->plans)
        text_printf(x->out, "  %s: %s\n",
                    p->role == FUNCTION_RUNS ? "runs by reference kernels" : "has no kernels",
                    why_none(p));
    for (uint32_t i = 0; p->plans && i < p->kernels.n; i++)
        put_kernel(x, i, &p->kernels.at[i], &p->plans[i]);
}

/* Nodes of F that compute something. */
static uint32_t count_operations(const function *f)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->nodes.n; i++)
        n += f->nodes.at[i].op != OP_INPUT && f->nodes.at[i].op != OP_CONSTANT;
    return n;
}

/* Nodes that have no loops: kernels of their own, or all of a function. */
static uint32_t count_uncovered(const explainer *x)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->plan->m->functions.n; i++) {
        const function_plan *p = &x->plan->functions[i];
        n += p->role == FUNCTION_RUNS && !p->plans ? count_operations(p->f) : 0;
        for (uint32_t k = 0; p->plans && k < p->kernels.n; k++)
            n += p->plans[k].by_reference &&
                 !(op_table[p->f->nodes.at[p->kernels.at[k].node].op].traits & T_REGIONS);
    }
    return n;
}

static uint32_t count_baseline(const explainer *x)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->plan->units.n; i++)
        n += x->tier[i] == TIER_BASELINE;
    return n;
}

static void put_text(explainer *x, const tn_program *program)
{
    if (!target_llvm_is_installed())
        text_puts(x->out, "LLVM is not installed: here every node runs by its reference kernel\n");
    for (uint32_t i = 0; i < x->plan->m->functions.n; i++) {
        x->f = x->plan->functions[i].f;
        put_function(x, &x->plan->functions[i]);
    }
    const executable *exe = program_executable(program);
    if (exe) {
        text_puts(x->out, "memory: ");
        put_amount(x->out, (double)exe_value_bytes(exe), "B");
        text_puts(x->out, " besides inputs and outputs, on one thread\n");
    }
    const uint32_t uncovered = count_uncovered(x);
    if (uncovered > 0)
        text_printf(x->out,
                    "not covered: %" PRIu32
                    " node%s by reference kernels, which the last line leaves out\n",
                    uncovered, uncovered == 1 ? " runs" : "s run");
    const uint32_t baseline = count_baseline(x);
    if (baseline > 0)
        text_printf(x->out,
                    "code: %" PRIu32 " of %" PRIu32
                    " distinct program%s run as baseline code at first\n",
                    baseline, x->plan->units.n, plural(x->plan->units.n));
    text_printf(x->out, "together: %" PRIu32 " distinct program%s, moves ", x->plan->units.n,
                plural(x->plan->units.n));
    put_amount(x->out, (double)x->together.bytes, "B");
    text_puts(x->out, ", computes ");
    put_amount(x->out, (double)x->together.flops, "flop");
    if (x->is_measured) {
        text_puts(x->out, "; at least ");
        put_seconds(x->out, x->together.seconds);
        text_puts(x->out, " on one thread (measured now: ");
        put_amount(x->out, x->limits.bytes, "B/s");
        text_puts(x->out, " of memory, ");
        put_amount(x->out, x->limits.near, "B/s");
        text_puts(x->out, " of a cache, ");
        put_amount(x->out, x->limits.flops, "flop/s");
        text_puts(x->out, ")");
    }
    text_puts(x->out, "\n");
}

/* ---- JSON ---- */

static void put_string(text_buffer *out, const char *key, const char *value)
{
    text_printf(out, "\"%s\":", key);
    text_json_string(out, value, strlen(value));
}

static void put_json_value(const explainer *x, value_id v)
{
    const node *n = node_of(x->f, v);
    text_printf(x->out, "{\"value\":\"%%%" PRIu32 "\",", v);
    if (n->op == OP_INPUT && attr_string(n->attrs, KEY_NAME)) {
        put_string(x->out, "name", attr_string(n->attrs, KEY_NAME));
        text_puts(x->out, ",");
    }
    text_puts(x->out, "\"type\":\"");
    put_type(x, v);
    text_puts(x->out, "\"}");
}

static void put_json_values(const explainer *x, const char *key, const value_id *v, uint32_t n)
{
    text_printf(x->out, ",\"%s\":[", key);
    for (uint32_t i = 0; i < n; i++) {
        text_puts(x->out, i ? "," : "");
        put_json_value(x, v[i]);
    }
    text_puts(x->out, "]");
}

static void put_json_cost(const explainer *x, const kernel_plan *plan)
{
    const uint64_t bytes = plan->nest->bytes, flops = plan->nest->flops;
    text_printf(x->out, ",\"bytes\":%" PRIu64 ",\"flops\":%" PRIu64, bytes, flops);
    if (x->is_measured) {
        const least_time t = least_time_of(&x->limits, plan->nest);
        text_printf(x->out, ",\"least_ns\":%" PRIu64 ",\"limit\":\"%s\"", nanoseconds(t.seconds),
                    limit_names[t.why]);
    }
}

static void put_json_stages(const explainer *x, const kernel *k, const kernel_plan *plan)
{
    if (k->n_stages == 0)
        return;
    text_puts(x->out, ",\"stages\":[");
    for (uint32_t i = 0; i < k->n_stages; i++) {
        const kernel *stage = &k->stages[i];
        text_puts(x->out, i ? ",{" : "{");
        put_string(x->out, "kind", stage_kind(stage));
        text_puts(x->out, ",");
        put_string(x->out, "name", jit_kernel_name(x->f, stage, x->memory));
        if (i + 1 < k->n_stages) {
            put_json_values(x, "leaves", &stage->out[0].into, 1);
            text_printf(x->out, ",\"leaves_bytes\":%" PRIu64, bytes_of(x, stage->out[0].into));
        }
        text_puts(x->out, "}");
    }
    text_printf(x->out, "],\"scratch\":%" PRIu64, scratch_of(plan));
}

static void put_json_kernel(const explainer *x, const kernel *k, const kernel_plan *plan)
{
    value_id *written = ARENA_ARRAY(x->memory, value_id, k->n_out);
    text_puts(x->out, "{");
    put_string(x->out, "kind", kind_name(k, plan));
    text_puts(x->out, ",");
    put_string(x->out, "name", jit_kernel_name(x->f, k, x->memory));
    text_puts(x->out, ",\"nodes\":[");
    for (uint32_t i = 0; i < k->n_nodes; i++)
        text_printf(x->out, "%s\"%%%" PRIu32 " %s\"", i ? "," : "",
                    x->f->nodes.at[k->nodes[i]].first_value,
                    op_table[x->f->nodes.at[k->nodes[i]].op].text);
    text_puts(x->out, "],\"steps\":[");
    for (uint32_t i = 0; i < plan->nest->n_steps; i++) {
        text_puts(x->out, i ? ",{" : "{");
        put_string(x->out, "how", plan->nest->steps[i].how);
        text_printf(x->out, ",\"items\":%" PRId64 ",\"grain\":%" PRId64 ",\"program\":%" PRIu32,
                    plan->nest->steps[i].work, plan->nest->steps[i].grain, plan->steps[i].unit);
        if (!plan->by_reference)
            text_printf(x->out, ",\"tier\":\"%s\"",
                        x->tier[plan->steps[i].unit] == TIER_BASELINE ? "baseline" : "optimized");
        text_puts(x->out, "}");
    }
    text_puts(x->out, "]");
    if (x->has_sizes && !plan->by_reference)
        text_printf(x->out, ",\"generic\":%s,\"numbers\":%" PRIu32,
                    plan->is_generic ? "true" : "false", numbers_of(plan));
    put_json_schedules(x, plan);
    put_json_stages(x, k, plan);
    put_json_values(x, "reads", k->in, k->n_in);
    for (uint32_t i = 0; written && i < k->n_out; i++)
        written[i] = k->out[i].into;
    if (written)
        put_json_values(x, "writes", written, k->n_out);
    if (!plan->by_reference)
        put_json_cost(x, plan);
    text_puts(x->out, ",\"not_fused\":[");
    for (uint32_t i = 0; i < k->n_edges; i++) {
        text_printf(x->out, "%s{\"value\":\"%%%" PRIu32 "\",", i ? "," : "", k->edges[i].value);
        put_string(x->out, "why", k->edges[i].why);
        text_puts(x->out, "}");
    }
    text_puts(x->out, "]}");
}

static void put_json(explainer *x, const tn_program *program)
{
    text_puts(x->out, "{\"functions\":[");
    for (uint32_t i = 0; i < x->plan->m->functions.n; i++) {
        const function_plan *p = &x->plan->functions[i];
        x->f = p->f;
        text_puts(x->out, i ? ",\n{" : "\n{");
        put_string(x->out, "name", p->f->name ? p->f->name : "main");
        text_printf(x->out, ",\"region\":%s,\"runs\":%s,\"compiled\":%s,\"kernels\":[",
                    p->f->is_region ? "true" : "false", p->role == FUNCTION_RUNS ? "true" : "false",
                    p->plans ? "true" : "false");
        for (uint32_t k = 0; p->plans && k < p->kernels.n; k++) {
            text_puts(x->out, k ? ",\n" : "\n");
            put_json_kernel(x, &p->kernels.at[k], &p->plans[k]);
        }
        text_puts(x->out, "]");
        if (!p->plans) {
            text_puts(x->out, ",");
            put_string(x->out, "why", why_none(p));
        }
        text_puts(x->out, "}");
    }
    text_printf(
        x->out, "],\n\"programs\":%" PRIu32 ",\"not_covered\":%" PRIu32 ",\"machine_code\":%s",
        x->plan->units.n, count_uncovered(x), target_llvm_is_installed() ? "true" : "false");
    const executable *exe = program_executable(program);
    if (exe)
        text_printf(x->out, ",\"memory_bytes\":%" PRIu64, exe_value_bytes(exe));
    text_printf(x->out, ",\"together\":{\"bytes\":%" PRIu64 ",\"flops\":%" PRIu64,
                x->together.bytes, x->together.flops);
    if (x->is_measured)
        text_printf(x->out, ",\"least_ns\":%" PRIu64, nanoseconds(x->together.seconds));
    text_puts(x->out, "}");
    if (x->is_measured)
        text_printf(x->out,
                    ",\"limits\":{\"flops_per_second\":%" PRIu64 ",\"bytes_per_second\":%" PRIu64
                    ",\"cached_bytes_per_second\":%" PRIu64 ",\"cycles_per_second\":%" PRIu64 "}",
                    (uint64_t)x->limits.flops, (uint64_t)x->limits.bytes, (uint64_t)x->limits.near,
                    (uint64_t)x->limits.clock);
    text_puts(x->out, "}\n");
}

/* The plan of P made anew. */
static tn_status plan_again(const tn_program *p, pipeline *made)
{
    other_sizes others = {.symbolic = NULL};
    if (p->others.symbolic)
        other_sizes_init(&others, p->others.symbolic, p->others.values, &p->others.options);
    pipeline_init(made, TO_EXPLAIN, p->engine, p->graph, STAGE_LOWER);
    made->others = &others;
    const tn_status s = pipeline_to(made, STAGE_LOOPS);
    made->others = NULL;
    other_sizes_release(&others);
    return s;
}

tn_status program_plan(const tn_program *p, const pipeline **made)
{
    if (p->cache)
        return report_unknown_sizes(p, "kernels are planned for known sizes");
    if ((*made = p->made))
        return TN_OK;
    pipeline *again = memory_alloc(&p->allocator, sizeof *again);
    if (!again)
        return diag_no_memory(&p->cx->diag);
    const tn_status s = plan_again(p, again);
    *made = again;
    if (s != TN_OK)
        program_plan_give_back(p, again);
    return s;
}

void program_plan_give_back(const tn_program *p, const pipeline *made)
{
    if (made == p->made)
        return;
    pipeline *own = (pipeline *)(uintptr_t)made;
    pipeline_release(own);
    memory_free(&p->allocator, own, sizeof *own);
}

const executable *program_executable(const tn_program *p)
{
    return p->made ? pipeline_executable(p->made) : p->tape ? tape_executable(p->tape) : NULL;
}

tn_status program_explain_plan(const tn_program *p, const pipeline *made,
                               const machine_limits *measured, bool json, text_buffer *out)
{
    arena memory;
    arena_init(&memory, &p->allocator);
    explainer x = {.out = out,
                   .plan = &made->plan,
                   .memory = &memory,
                   .tier = tiers_choose(p->engine, &made->plan, &memory),
                   .is_measured = measured != NULL,
                   .has_sizes = p->others.symbolic != NULL};
    if (measured)
        x.limits = *measured;
    const bool ok = x.tier && run_cost_of(&made->plan, measured, &x.together);
    if (ok)
        (json ? put_json : put_text)(&x, p);
    arena_release(&memory);
    return ok ? TN_OK : diag_no_memory(&p->cx->diag);
}

tn_status program_explain(const tn_program *p, bool json, text_buffer *out)
{
    const pipeline *made;
    machine_limits now;
    TN_TRY(program_plan(p, &made));
    const bool is_measured = machine_measure(p->engine, &now);
    const tn_status s = program_explain_plan(p, made, is_measured ? &now : NULL, json, out);
    program_plan_give_back(p, made);
    return s;
}
