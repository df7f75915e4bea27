/* Code made ahead of time: C, objects and what is made of them, from a compiled program. */
#include <stdio.h>
#include <string.h>

#include "api/programs/programs.h"
#include "compile/aot/aot.h"
#include "target/object_archive.h"

enum { MOST_NAME = 200 };

/* A C identifier, at most as long as names of files may be. */
static bool is_name(const char *name)
{
    size_t n = 0;
    for (; name[n] && n <= MOST_NAME; n++)
        if (!((name[n] >= 'a' && name[n] <= 'z') || (name[n] >= 'A' && name[n] <= 'Z') ||
              name[n] == '_' || (n > 0 && name[n] >= '0' && name[n] <= '9')))
            return false;
    return n > 0 && n <= MOST_NAME;
}

static target_port *make_ports(const tn_port *from, const function *f, bool is_input, uint32_t n,
                               arena *memory)
{
    target_port *ports = ARENA_ARRAY(memory, target_port, n);
    for (uint32_t i = 0; ports && i < n; i++) {
        const tn_dtype d = from[i].type.dtype;
        const size_t bytes =
            type_known_bytes(is_input ? function_input_type(f, i) : function_output_type(f, i));
        ports[i] = (target_port){.name = from[i].name,
                                 .dtype = d,
                                 .rank = from[i].type.rank,
                                 .dims = from[i].type.dims,
                                 .bytes = bytes,
                                 .align = bytes ? (uint32_t)dtype_bytes(dtype_table[d].part) : 0};
    }
    return ports;
}

/* The last part of a path: output does not depend on the folder of its source. */
static const char *file_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

static tn_status make_object(const aot *a, context *cx, const target_options *o, text_buffer *out)
{
    return target_llvm_program(cx, &a->program, o, out);
}

/* What is made of an object. */
static tn_status wrap_object(const aot *a, context *cx, tn_emit_form form, const target_options *o,
                             text_buffer *out)
{
    char symbol[MOST_NAME + 8], member[16];
    const char *const symbols[] = {symbol};
    text_buffer object;
    (void)snprintf(symbol, sizeof symbol, "%s_run", a->program.name);
    (void)snprintf(member, sizeof member, "%.13s.o", a->program.name);
    text_init(&object, &cx->allocator);
    tn_status s = make_object(a, cx, o, &object);
    if (s == TN_OK && form == TN_EMIT_ARCHIVE)
        target_archive(member, object.at, object.n, symbols, 1, out);
    else if (s == TN_OK)
        s = target_shared(cx, a->program.name, object.at, object.n, symbols, 1, out);
    text_release(&object);
    return s;
}

static tn_status print_form(const aot *a, context *cx, tn_emit_form form, target_options o,
                            text_buffer *out)
{
    switch (form) {
    case TN_EMIT_C:
        target_c_file(&a->program, out);
        return TN_OK;
    case TN_EMIT_HEADER:
        target_c_header(&a->program, out);
        return TN_OK;
    case TN_EMIT_WEIGHTS:
        target_weights(&a->program, out);
        return TN_OK;
    case TN_EMIT_ASSEMBLY:
        o.form = TARGET_ASSEMBLY;
        return target_llvm_program(cx, &a->program, &o, out);
    case TN_EMIT_LLVM_IR:
        o.form = TARGET_LLVM_IR;
        return target_llvm_program(cx, &a->program, &o, out);
    case TN_EMIT_ARCHIVE:
    case TN_EMIT_SHARED:
        return wrap_object(a, cx, form, &o, out);
    case TN_EMIT_OBJECT:
    default:
        return make_object(a, cx, &o, out);
    }
}

/* C is for any machine, but fast on one, which must be known as it must be for machine code. */
static tn_status check_machine(context *cx, const target_options *to)
{
    machine_arch arch = machine_host().arch;
    if (to->triple && !arch_of_triple(to->triple, &arch))
        return diag_report(&cx->diag, DIAG_BackendUnavailable, NULL, NO_SPAN,
                           "there is no code generator for the triple '%s': it must begin with "
                           "x86_64- or aarch64- (C that is made without a triple suits others)",
                           to->triple);
    if (!to->cpu || strcmp(to->cpu, "native") == 0 || cpu_by_name(arch, to->cpu))
        return TN_OK;
    const tn_status status =
        diag_report(&cx->diag, DIAG_BackendUnavailable, NULL, NO_SPAN,
                    to->triple ? "the CPU '%s' is not known for the triple '%s'"
                               : "the CPU '%s' is not known for this machine",
                    to->cpu, to->triple);
    target_suggest_cpu(cx, to->triple, to->cpu);
    return status;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A header is for C and for machine code: its workspace has room for either, A's and C's. */
static tn_status make_room_for_c(aot *a, const tn_program *p, nest_options nests, uint64_t seed)
{
    aot c;
    nests.on.has_byte_dots = nests.on.has_bf16_dots = false;
    const tn_status s = aot_make(&c, p->graph, &nests, seed, &p->allocator);
    a->program.temporary_bytes = larger(a->program.temporary_bytes, c.program.temporary_bytes);
    a->program.scratch_bytes = larger(a->program.scratch_bytes, c.program.scratch_bytes);
    aot_release(&c);
    return s;
}

static tn_status emit(const tn_program *p, tn_emit_form form, const tn_emit_options *o,
                      text_buffer *out)
{
    context *cx = p->cx;
    const char *name = o->name ? o->name : "program";
    const target_options to = {.triple = o->target, .cpu = o->cpu, .is_pic = true};
    aot a;
    if (!is_name(name))
        return diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN,
                           "'%s' is no name for generated code: it needs a C identifier of at "
                           "most %d letters, digits and underscores",
                           name, MOST_NAME);
    if ((unsigned)form > TN_EMIT_WEIGHTS)
        return diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN, "%d is no form of code",
                           (int)form);
    if (p->cache)
        return report_unknown_sizes(p, "code made ahead of time is for fixed sizes");
    TN_TRY(check_machine(cx, &to));
    nest_options nests = {.on = machine_for(to.triple, to.cpu, p->engine->is_relaxed),
                          .schedule = p->engine->schedule};
    const bool takes_weights = form == TN_EMIT_WEIGHTS || o->takes_weights;
    /* Compilers know no operators for these, but one file of weights is for all code. */
    if (form == TN_EMIT_C && !takes_weights)
        nests.on.has_byte_dots = nests.on.has_bf16_dots = false;
    tn_status s = aot_make(&a, p->graph, &nests, o->seed, &p->allocator);
    if (s == TN_OK && form == TN_EMIT_HEADER && !takes_weights)
        s = make_room_for_c(&a, p, nests, o->seed);
    const function *f = module_entry(p->graph);
    a.program.name = name;
    a.program.takes_weights = takes_weights;
    a.program.shares_work = o->shares_work;
    a.program.note = file_name(p->graph->source.name);
    a.program.n_inputs = p->n_inputs;
    a.program.n_outputs = p->n_outputs;
    a.program.inputs = make_ports(p->inputs, f, true, p->n_inputs, &a.memory);
    a.program.outputs = make_ports(p->outputs, f, false, p->n_outputs, &a.memory);
    if (s == TN_OK && (!a.program.inputs || !a.program.outputs))
        s = diag_no_memory(&cx->diag);
    if (s == TN_OK)
        s = print_form(&a, cx, form, to, out);
    if (s == TN_OK && out->failed)
        s = diag_no_memory(&cx->diag);
    aot_release(&a);
    return context_done(cx, s);
}

tn_status tn_program_emit(const tn_program *p, tn_emit_form form, const tn_emit_options *options,
                          const tn_writer *writer)
{
    context *cx = p->cx;
    tn_emit_options o;
    text_buffer text;
    text_init(&text, &cx->allocator);
    tn_status s = OPTIONS_READ(&cx->diag, tn_emit_options, shares_work, &o, options);
    if (s == TN_OK)
        s = emit(p, form, &o, &text);
    return api_deliver(cx, &text, writer, s);
}
