/* The compact text form to the model: functions and programs. */
#include <inttypes.h>

#include "dialect/ptir/formats/text_parts.h"
#include "dialect/ptir/formats/text_reader.h"

static bool read_parameters(text_reader *r)
{
    ptir_scan *s = &r->s;
    if (!scan_expect(s, "("))
        return false;
    if (scan_eat(s, ")"))
        return true;
    do {
        text_name name;
        uint32_t id = r->names.n;
        ptir_type t;
        if (!text_read_name(r, &name) || !scan_expect(s, ":") || !text_read_type(s, &t) ||
            !text_add_name(r, name.key, name.at))
            return false;
        if (!PTIR_PUSH(s->memory, &r->f->parameters, t) ||
            !PTIR_PUSH(s->memory, &r->f->parameter_ids, id) ||
            !PTIR_PUSH(s->memory, &r->f->parameter_places, name.at) ||
            !PTIR_PUSH(s->memory, &r->f->parameter_names, name.name))
            return scan_no_memory(s);
    } while (scan_eat(s, ","));
    return scan_expect(s, ")");
}

static bool read_return(text_reader *r)
{
    ptir_scan *s = &r->s;
    scan_blank(s);
    if (*s->at == '\n' || *s->at == ';' || *s->at == '}' || s->at == s->end)
        return true;
    do {
        ptir_operand operand = {.kind = PTIR_VALUE};
        text_name name;
        if (scan_at(s, "%") ? !text_read_value(r, true, &operand)
                            : !text_read_name(r, &name) ||
                                  !text_value_named(r, name.key, name.at, true, &operand))
            return false;
        if (!PTIR_PUSH(s->memory, &r->f->result_ids, operand))
            return scan_no_memory(s);
    } while (scan_eat(s, ","));
    return true;
}

/* One type, or a tuple of the types of all results. One returned tuple may stand for its elements.
 */
static bool keep_results(text_reader *r, const ptir_type *declared)
{
    ptir_function *f = r->f;
    bool one = declared->tensor || (f->result_ids.n == 1 && declared->n != 1);
    if (one && !PTIR_PUSH(r->s.memory, &f->results, *declared))
        return scan_no_memory(&r->s);
    for (uint32_t i = 0; !one && i < declared->n; i++)
        if (!PTIR_PUSH(r->s.memory, &f->results, declared->items[i]))
            return scan_no_memory(&r->s);
    return true;
}

/* Behind the name and the parameters. */
static bool read_function_body(text_reader *r)
{
    ptir_scan *s = &r->s;
    ptir_type results;
    if (!scan_expect(s, "->") || !text_read_type(s, &results) || !scan_expect(s, "{"))
        return false;
    while (!scan_eat_word(s, "return")) {
        if (scan_at(s, "}") || s->at >= s->end)
            return scan_unexpected(s, "'return'");
        if (!text_read_statement(r))
            return false;
    }
    if (!read_return(r))
        return false;
    (void)scan_eat(s, ";");
    return scan_expect(s, "}") && keep_results(r, &results);
}

/* Behind the name. */
static bool read_function(text_reader *r, ptir_function *f)
{
    ptir_scan *s = &r->s;
    r->f = f;
    r->names.n = 0;
    r->lost_names = false;
    if (r->by_name.cap > 1024) /* as large as an earlier function needed */
        hash_release(s->m->allocator, &r->by_name);
    else
        hash_clear(&r->by_name);
    f->stores_ids = true;
    r->where = (ptir_where){.m = s->m, .function = f->name, .is_region = !f->name};
    if (!f->name)
        r->where.function = arena_printf(s->memory, "%" PRIu64, f->region);
    const bool ok = read_parameters(r) && read_function_body(r);
    /* of what cannot be read, nobody knows where it ends */
    f->whole = (span){f->at.at, (uint32_t)((ok ? s->at : s->end) - s->m->source.text) - f->at.at};
    return ok;
}

static bool read_function_name(text_reader *r, ptir_function *f)
{
    ptir_scan *s = &r->s;
    ptir_word_text word;
    (void)scan_eat(s, "@");
    f->at = scan_here(s);
    if (scan_at(s, "\"")) {
        const bool ok = scan_string(s, &f->name);
        f->at.length = ok ? (uint32_t)(s->at - s->m->source.text) - f->at.at : f->at.length;
        return ok;
    }
    if (!scan_word(s, &word))
        return false;
    f->name = module_string(s->m, word.at, word.n);
    return f->name || scan_no_memory(s);
}

/* Read F, whose name was read, and keep it in TO, also when only a part of it can be read: editors
 * ask for its names. */
static bool keep_function(text_reader *r, ptir_function *f, ptir_functions *to)
{
    const bool ok = read_function(r, f);
    return (PTIR_PUSH(r->s.memory, to, *f) || scan_no_memory(&r->s)) && ok;
}

/* The text of a program in MLIR begins with `module` or `func.func`. */
static bool is_of_mlir(const ptir_scan *s)
{
    static const char *const words[] = {"func.func", "module ", "module{", "module@"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t n = strlen(words[i]);
        found = found || ((size_t)(s->end - s->at) >= n && memcmp(s->at, words[i], n) == 0);
    }
    return found;
}

static bool refuse_mlir(ptir_scan *s)
{
    const span at = scan_here(s);
    (void)scan_fail(s, DIAG_SyntaxError, at, "this is text of MLIR, and that of PTIR is expected");
    diag_fix(&s->m->cx->diag, at, NULL, "read it as the dialect stablehlo (a file .mlir)");
    return false;
}

static bool read_program(text_reader *r, ptir_program *out)
{
    ptir_scan *s = &r->s;
    *out = (ptir_program){0};
    for (scan_space(s); s->at < s->end; scan_space(s)) {
        ptir_function f = {0};
        bool is_entry = scan_eat_word(s, "entry");
        if (!is_entry && scan_eat_word(s, "region")) {
            (void)scan_eat(s, "@");
            f.at = scan_here(s);
            if (!scan_u64(s, &f.region) || !keep_function(r, &f, &out->regions))
                return false;
            continue;
        }
        if (!scan_eat_word(s, "func") && !scan_eat_word(s, "function"))
            return is_of_mlir(s)
                       ? refuse_mlir(s)
                       : scan_unexpected(s, out->functions.n ? "'func', 'entry func' or 'region'"
                                                             : "'func'");
        if (!read_function_name(r, &f))
            return false;
        if (is_entry || !out->entry) {
            out->entry = f.name;
            out->entry_at = f.at;
        }
        if (!keep_function(r, &f, &out->functions))
            return false;
    }
    if (out->functions.n == 0)
        return scan_unexpected(s, "'func'");
    return !s->failed;
}

tn_status ptir_text_read(module *m, arena *memory, ptir_program *out, uint32_t *faults)
{
    text_reader r = {.f = NULL};
    TN_TRY(scan_init(&r.s, m, memory));
    m->source.reading = &r.where;
    (void)read_program(&r, out);
    m->source.reading = NULL;
    out->region_uses = r.s.region_uses;
    VECTOR_RELEASE(m->allocator, &r.names);
    hash_release(m->allocator, &r.by_name);
    return scan_end(&r.s, faults);
}
