/* Whole programs as one C file: functions for each kind of processor, and the entry. */
#include <inttypes.h>

#include "target/c/print.h"
#include "target/target_program.h"

/* ---- kinds of processors ---- */

/* The functions of a program for one kind of processor. */
typedef struct section {
    c_level level;
    const char *suffix;
    bool is_there;
    text_buffer body;
    c_needs needs;
} section;

enum { SECTIONS = 3 }; /* the widest processors first */

/* For each kind, the options of the compiler, and how the processor is asked whether it has the
 * features. */
static const struct {
    c_level level;
    const char *suffix, *options, *supports;
} processors[SECTIONS] = {
    {C_V4, "_v4", "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2",
     "__builtin_cpu_supports(\"avx512f\") && __builtin_cpu_supports(\"avx512bw\") &&\n"
     "        __builtin_cpu_supports(\"avx512dq\") && __builtin_cpu_supports(\"avx512vl\")"},
    {C_V3, "_v3", "avx2,fma,bmi2",
     "__builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") &&\n"
     "        __builtin_cpu_supports(\"bmi2\")"},
    {C_ANY, "", NULL, NULL},
};

static void put_level(text_buffer *out)
{
    text_puts(out,
              "/* What the flags say of the processor: 4 is x86-64-v4 (AVX-512), 3 is x86-64-v3 "
              "(AVX2 and\n"
              " * FMA), 0 is any other. Functions for better ones are there too, up to MOST_LEVEL, "
              "and chosen\n"
              " * when the program runs. */\n"
              "#if MOST_LEVEL >= 4 && defined(__FMA__) && defined(__BMI2__) && "
              "defined(__AVX512F__) && \\\n"
              "    defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)\n"
              "#define LEVEL 4\n"
              "#elif MOST_LEVEL >= 3 && defined(__FMA__) && defined(__BMI2__) && "
              "defined(__AVX2__)\n"
              "#define LEVEL 3\n"
              "#else\n"
              "#define LEVEL 0\n"
              "#endif\n");
}

static bool has_wide_types(const c_needs *needs)
{
    for (unsigned kind = 0; kind <= C_F64; kind++)
        for (unsigned l = 1; l < C_LOG_LANES; l++)
            if (needs->of[C_TYPE][kind][l] && c_kind_bytes((c_kind)kind) << l >= 64)
                return true;
    return false;
}

/* Print the functions for each kind of processor; those for AVX-512 only where their vectors have
 * its width. */
static void fill_sections(section *sections, const target_function *functions, uint32_t n,
                          c_needs *all, const tn_allocator *allocator)
{
    for (unsigned k = 0; k < SECTIONS; k++) {
        section *s = &sections[k];
        *s = (section){.level = processors[k].level, .suffix = processors[k].suffix};
        text_init(&s->body, allocator);
        c_put_functions(functions, n, false, s->level, s->suffix, &s->needs, &s->body);
        s->is_there = s->level != C_V4 || has_wide_types(&s->needs);
        for (size_t at = 0; s->is_there && at < sizeof *all; at++)
            ((unsigned char *)all)[at] |= ((const unsigned char *)&s->needs)[at];
    }
}

/* When the functions of a section are compiled; those for x86 alone. */
static void put_condition(unsigned k, bool is_best, text_buffer *out)
{
    text_printf(out,
                is_best ? "#if IS_X86 && MOST_LEVEL >= %d\n"
                        : "#if IS_X86 && MOST_LEVEL >= %d && LEVEL < 4\n",
                (int)processors[k].level);
}

static void open_section(unsigned k, bool is_best, text_buffer *out)
{
    text_puts(out, "\n");
    if (processors[k].level == C_ANY) {
        text_puts(out, "#if LEVEL < 3\n");
        return;
    }
    put_condition(k, is_best, out);
    text_printf(out,
                "#if LEVEL >= %d\n"
                "#elif defined(__clang__)\n"
                "#pragma clang attribute push(__attribute__((target(\"%s\"))), apply_to = "
                "function)\n"
                "#else\n"
                "#pragma GCC push_options\n"
                "#pragma GCC target(\"%s\")\n"
                "#endif\n\n",
                (int)processors[k].level, processors[k].options, processors[k].options);
}

static void close_section(unsigned k, text_buffer *out)
{
    if (processors[k].level != C_ANY)
        text_printf(out,
                    "\n#if LEVEL >= %d\n"
                    "#elif defined(__clang__)\n"
                    "#pragma clang attribute pop\n"
                    "#else\n"
                    "#pragma GCC pop_options\n"
                    "#endif\n",
                    (int)processors[k].level);
    text_puts(out, "#endif\n");
}

static void put_sections(const target_program *p, const target_used *used, const section *sections,
                         text_buffer *out)
{
    bool again = false;
    for (unsigned k = 0; k < SECTIONS; k++) {
        if (!sections[k].is_there)
            continue;
        open_section(k, !again, out);
        c_put_helpers(&sections[k].needs, sections[k].level, again, out);
        text_put(out, sections[k].body.at, sections[k].body.n);
        c_put_blocks(p, used, sections[k].suffix, out);
        close_section(k, out);
        again = true;
    }
}

/* ---- the entry ---- */

static void put_port_checks(const char *which, const target_port *ports, uint32_t n,
                            text_buffer *out)
{
    for (uint32_t k = 0; k < n; k++)
        if (ports[k].align > 1)
            text_printf(out, "    off |= (uintptr_t)%s[%" PRIu32 "] %% %" PRIu32 ";\n", which, k,
                        ports[k].align);
}

static void put_checks(const target_program *p, const target_used *used, text_buffer *out)
{
    if (target_workspace(p, 1) > 0)
        text_printf(out, "    uintptr_t off = (uintptr_t)workspace %% %d;\n", TARGET_ALIGN);
    else
        text_puts(out, "    uintptr_t off = 0;\n");
    put_port_checks("inputs", p->inputs, p->n_inputs, out);
    put_port_checks("outputs", p->outputs, p->n_outputs, out);
    if (p->takes_weights)
        text_printf(out, "    off |= (uintptr_t)weights %% %d;\n", TARGET_ALIGN);
    text_printf(out, "    if (off != 0)\n        return %d;\n", TARGET_MISALIGNED);
    if (p->takes_weights)
        text_printf(out,
                    "    if (!weights)\n"
                    "        return %d;\n"
                    "    uint64_t mark;\n"
                    "    __builtin_memcpy(&mark, (const char *)weights + %d, sizeof mark);\n"
                    "    if (mark != 0x%" PRIx64 "ull)\n"
                    "        return %d;\n",
                    TARGET_OTHER_WEIGHTS, TARGET_MARK_AT, used->mark, TARGET_OTHER_WEIGHTS);
}

static void put_entry(const target_program *p, const target_used *used, const section *sections,
                      text_buffer *out)
{
    bool is_best = true;
    text_puts(out, "\n");
    c_put_prototype(p, out);
    text_puts(out, ";\n");
    c_put_prototype(p, out);
    text_puts(out, "\n{\n");
    text_puts(out, "    (void)inputs;\n    (void)outputs;\n");
    put_checks(p, used, out);
    for (unsigned k = 0; k < SECTIONS; k++) {
        const int level = (int)processors[k].level;
        if (!sections[k].is_there)
            continue;
        if (level == C_ANY) {
            text_puts(out, "#if LEVEL < 3\n    ");
        } else {
            put_condition(k, is_best, out);
            text_printf(out, "#if LEVEL < %d\n    if (%s)\n#endif\n        ", level,
                        processors[k].supports);
        }
        text_printf(out, "return run%s(inputs, outputs, workspace%s);\n", sections[k].suffix,
                    c_further_arguments(p));
        text_puts(out, "#endif\n");
        is_best = false;
    }
    text_puts(out, "}\n");
}

/* ---- the whole ---- */

/* Bytes as numbers of 32 bits where they are whole ones. */
static void put_constant(const target_constant *c, uint32_t index, text_buffer *out)
{
    const unsigned char *at = c->bytes;
    const uint64_t width = c->n_bytes % 4 == 0 && c->n_bytes > 0 ? 4 : 1, n = c->n_bytes / width,
                   per_line = width == 4 ? 8 : 16;
    text_puts(out, "\n");
    if (c->note) {
        text_puts(out, "/* ");
        c_put_note(out, c->note);
        text_puts(out, " */\n");
    }
    text_printf(out, "_Alignas(%d) static const uint%d_t constant%" PRIu32 "[%" PRIu64 "] = {",
                TARGET_ALIGN, (int)(8 * width), index, n ? n : 1);
    for (uint64_t k = 0; k < n; k++) {
        uint32_t number = at[k];
        if (width == 4)
            memcpy(&number, at + 4 * k, 4);
        text_puts(out, k % per_line == 0 ? "\n    " : " ");
        text_printf(out, width == 4 ? "0x%08" PRIx32 "," : "0x%02" PRIx32 ",", number);
        if (out->failed)
            return;
    }
    text_puts(out, n ? "\n};\n" : "0};\n");
}

static void put_head(text_buffer *out)
{
    text_puts(out, "\n/* cc -O2 -c FILE, and -lm. The results have the same bits for every machine "
                   "and\n"
                   " * optimisation, with two exceptions: flags that end in an error below, and "
                   "clang's\n"
                   " * -ffp-contract=fast, with which the entry returns -2 and does nothing. */\n\n"
                   "#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__\n"
                   "#error \"this needs a little-endian machine: so the constants are written\"\n"
                   "#endif\n");
}

/* Compilers warn of static functions and constants that nothing uses: they are left out. */
static bool put_program(const target_program *p, arena *memory, text_buffer *out)
{
    target_function *called = ARENA_ARRAY(memory, target_function, p->n_functions);
    section *sections = ARENA_ARRAY(memory, section, SECTIONS);
    target_used used;
    c_needs needs = {0};
    uint32_t n = 0;
    bool failed = false;
    if (!called || !sections || !target_find_used(p, memory, &used))
        return false;
    for (uint32_t k = 0; k < p->n_functions; k++)
        if (used.functions[k])
            called[n++] = p->functions[k];
    fill_sections(sections, called, n, &needs, out->allocator);
    c_put_contract(p, &used, out);
    put_head(out);
    c_put_intro(out);
    c_put_types(&needs, out);
    for (uint32_t k = 0; !p->takes_weights && k < p->n_constants; k++)
        if (used.constants[k])
            put_constant(&p->constants[k], k, out);
    c_put_block_helpers(p, &used, out);
    put_level(out);
    put_sections(p, &used, sections, out);
    put_entry(p, &used, sections, out);
    for (unsigned k = 0; k < SECTIONS; k++) {
        failed = failed || sections[k].body.failed;
        text_release(&sections[k].body);
    }
    return !failed;
}

void target_c_file(const target_program *p, text_buffer *out)
{
    arena memory;
    arena_init(&memory, out->allocator);
    if (!put_program(p, &memory, out))
        (void)text_grow(out, SIZE_MAX); /* no memory */
    arena_release(&memory);
}
