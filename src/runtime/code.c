/* ELF objects for x86-64 into executable memory.
 *
 *     | code | links | to a page | read-only data | to a page |
 *
 * A link stands for a symbol: a jump through an address, 16 bytes, where the address also serves
 * code that asks for the place of an address. So all that an object says about places fits 32 bits,
 * wherever the C library may lie. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS; NOLINT(bugprone-reserved-identifier) */
#include "runtime/code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/object.h"

#if defined(__x86_64__) && defined(__linux__)
enum { LINK_BYTES = 16, LINK_ADDRESS = 8, PAGE_AT_MOST = 1 << 16 };

typedef struct named_function {
    const char *name; /* in `names` */
    uintptr_t address;
} named_function;

struct code {
    const tn_allocator *allocator;
    char *memory; /* mapped */
    size_t mapped;
    named_function *functions; /* by name */
    size_t n_functions, cap_functions;
    char *names;
    size_t n_names;
};

/* ---- places ---- */

/* The place of section S after *AT bytes, which then follow it. */
static bool place_section(const Elf64_Shdr *s, size_t *at, size_t *place)
{
    const uint64_t align = s->sh_addralign ? s->sh_addralign : 1;
    if ((align & (align - 1)) != 0 || align > 4096)
        return false;
    *place = (*at + (size_t)align - 1) & ~((size_t)align - 1);
    *at = *place + s->sh_size;
    return *at <= OBJECT_AT_MOST;
}

/* Give every loaded section its distance from the start of its kind, in `sections`. */
static bool place_sections(object *o)
{
    for (size_t k = 0; k < o->head.e_shnum; k++) {
        const Elf64_Shdr s = object_section(o, k);
        size_t place = 0;
        if (!object_check_section(o, &s))
            return false;
        if (section_is_loaded(&s) &&
            !place_section(&s, section_is_code(&s) ? &o->code_bytes : &o->data_bytes, &place))
            return false;
        o->sections[k] = place;
    }
    return true;
}

/* ---- what code may call ---- */

typedef struct known_function {
    const char *name;
    void (*function)(void);
} known_function;

#define ADDRESS(function) ((void (*)(void))(function))
static const known_function known[] = {
    {"fma", ADDRESS(fma)},         {"fmaf", ADDRESS(fmaf)},     {"sqrt", ADDRESS(sqrt)},
    {"sqrtf", ADDRESS(sqrtf)},     {"rint", ADDRESS(rint)},     {"rintf", ADDRESS(rintf)},
    {"trunc", ADDRESS(trunc)},     {"truncf", ADDRESS(truncf)}, {"memcpy", ADDRESS(memcpy)},
    {"memmove", ADDRESS(memmove)}, {"memset", ADDRESS(memset)},
};
#undef ADDRESS

static uintptr_t known_address(const char *name)
{
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (strcmp(known[k].name, name) == 0)
            return (uintptr_t)known[k].function;
    return 0;
}

/* ---- placing ---- */

static char *links_of(const object *o, const code *c)
{
    return c->memory + (o->code_bytes + LINK_BYTES - 1) / LINK_BYTES * LINK_BYTES;
}

static size_t code_pages(const object *o)
{
    const size_t n = o->code_bytes + (o->n_symbols + 1) * LINK_BYTES;
    return (n + o->page - 1) / o->page * o->page;
}

static tn_status map_memory(const object *o, code *c)
{
    c->mapped = code_pages(o) + (o->data_bytes + o->page - 1) / o->page * o->page;
    void *at = mmap(NULL, c->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return TN_ERR_NOMEM;
    c->memory = at;
    return TN_OK;
}

static void copy_sections(object *o, const code *c)
{
    for (size_t k = 0; k < o->head.e_shnum; k++) {
        const Elf64_Shdr s = object_section(o, k);
        if (!section_is_loaded(&s))
            continue;
        char *at = c->memory + o->sections[k] + (section_is_code(&s) ? 0 : code_pages(o));
        memcpy(at, o->bytes + s.sh_offset, s.sh_size);
        o->sections[k] = (uintptr_t)at;
    }
}

static void write_link(char *at, uintptr_t address)
{
    static const unsigned char jump[LINK_ADDRESS] = {0xff, 0x25, 2, 0, 0, 0, 0xcc, 0xcc};
    memcpy(at, jump, sizeof jump); /* jmp *2(%rip) */
    memcpy(at + LINK_ADDRESS, &address, sizeof address);
}

static bool place_symbol(object *o, code *c, size_t k)
{
    const Elf64_Sym s = object_symbol(o, k);
    const bool is_global = ELF64_ST_BIND(s.st_info) == STB_GLOBAL;
    if (s.st_name >= o->strings.sh_size)
        return false;
    const char *name = c->names + s.st_name;
    if (s.st_shndx == SHN_UNDEF) {
        o->symbols[k] = known_address(name);
    } else if (s.st_shndx < o->head.e_shnum && s.st_shndx < SHN_LORESERVE) {
        const Elf64_Shdr in = object_section(o, s.st_shndx);
        if (!section_is_loaded(&in))
            return true;
        if (s.st_value > in.sh_size)
            return false;
        o->symbols[k] = o->sections[s.st_shndx] + s.st_value;
        if (is_global && section_is_code(&in) && s.st_value < in.sh_size)
            c->functions[c->n_functions++] = (named_function){name, o->symbols[k]};
    }
    write_link(links_of(o, c) + k * LINK_BYTES, o->symbols[k]);
    return true;
}

static int by_name(const void *a, const void *b)
{
    const named_function *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static bool place_symbols(object *o, code *c)
{
    memcpy(c->names, o->bytes + o->strings.sh_offset, c->n_names);
    for (size_t k = 0; k < o->n_symbols; k++)
        if (!place_symbol(o, c, k))
            return false;
    if (c->n_functions)
        qsort(c->functions, c->n_functions, sizeof *c->functions, by_name);
    return true;
}

/* ---- relocation ---- */

/* Write VALUE at AT, where N bytes are left, in 4 or 8 bytes. */
static bool put_value(char *at, uint64_t n, uint64_t value, unsigned bytes)
{
    if (n < bytes)
        return false;
    memcpy(at, &value, bytes);
    return true;
}

static bool fits_signed(uint64_t value)
{
    return value + 0x80000000U <= UINT32_MAX;
}

static bool relocate_one(const object *o, const code *c, const Elf64_Rela *r, uintptr_t section,
                         uint64_t size)
{
    const uint64_t k = ELF64_R_SYM(r->r_info);
    if (r->r_offset >= size || k >= o->n_symbols || !o->symbols[k])
        return false;
    const Elf64_Sym s = object_symbol(o, k);
    char *at = (char *)section + r->r_offset;
    const uint64_t left = size - r->r_offset, addend = (uint64_t)r->r_addend;
    const uintptr_t link = (uintptr_t)links_of(o, c) + k * LINK_BYTES;
    const uint64_t value = o->symbols[k] + addend;
    uint64_t distance = (s.st_shndx == SHN_UNDEF ? link : o->symbols[k]) + addend - (uintptr_t)at;
    switch (ELF64_R_TYPE(r->r_info)) {
    case R_X86_64_NONE:
        return true;
    case R_X86_64_64:
        return put_value(at, left, value, 8);
    case R_X86_64_32:
        return value <= UINT32_MAX && put_value(at, left, value, 4);
    case R_X86_64_32S:
        return fits_signed(value) && put_value(at, left, value, 4);
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        distance = link + LINK_ADDRESS + addend - (uintptr_t)at;
        return fits_signed(distance) && put_value(at, left, distance, 4);
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
        return fits_signed(distance) && put_value(at, left, distance, 4);
    case R_X86_64_PC64:
        return put_value(at, left, distance, 8);
    default:
        return false;
    }
}

static bool relocate_section(const object *o, const code *c, const Elf64_Shdr *table)
{
    Elf64_Rela r;
    if (table->sh_info >= o->head.e_shnum)
        return false;
    const Elf64_Shdr of = object_section(o, table->sh_info);
    if (!section_is_loaded(&of))
        return true;
    if (table->sh_type == SHT_REL || table->sh_entsize != sizeof r)
        return false;
    for (uint64_t at = 0; at + sizeof r <= table->sh_size; at += sizeof r) {
        memcpy(&r, o->bytes + table->sh_offset + at, sizeof r);
        if (!relocate_one(o, c, &r, o->sections[table->sh_info], of.sh_size))
            return false;
    }
    return true;
}

static bool relocate(const object *o, const code *c)
{
    for (size_t k = 0; k < o->head.e_shnum; k++) {
        const Elf64_Shdr s = object_section(o, k);
        if ((s.sh_type == SHT_RELA || s.sh_type == SHT_REL) && !relocate_section(o, c, &s))
            return false;
    }
    return true;
}

static tn_status protect(const object *o, const code *c)
{
    const size_t n = code_pages(o);
    if (mprotect(c->memory, n, PROT_READ | PROT_EXEC) != 0 ||
        (c->mapped > n && mprotect(c->memory + n, c->mapped - n, PROT_READ) != 0))
        return TN_ERR_UNAVAILABLE;
    __builtin___clear_cache(c->memory, c->memory + n);
    return TN_OK;
}

/* ---- loading ---- */

static tn_status reserve(object *o, code *c)
{
    const tn_allocator *a = c->allocator;
    c->cap_functions = o->n_symbols;
    c->n_names = o->strings.sh_size;
    c->functions = memory_alloc(a, c->cap_functions * sizeof *c->functions);
    c->names = memory_alloc(a, c->n_names);
    o->symbols = memory_alloc(a, o->n_symbols * sizeof *o->symbols);
    if (!c->functions || !c->names || !o->symbols)
        return TN_ERR_NOMEM;
    memset(o->symbols, 0, o->n_symbols * sizeof *o->symbols);
    return map_memory(o, c);
}

static tn_status load_object(object *o, code *c)
{
    if (!place_sections(o) || !object_find_symbols(o))
        return TN_ERR_IO;
    TN_TRY(reserve(o, c));
    copy_sections(o, c);
    if (!place_symbols(o, c) || !relocate(o, c))
        return TN_ERR_IO;
    return protect(o, c);
}

tn_status code_load(const tn_allocator *a, const void *bytes, size_t n, code **out)
{
    const long page = sysconf(_SC_PAGESIZE);
    object o = {.bytes = bytes, .n = n, .page = page > 0 ? (size_t)page : PAGE_AT_MOST};
    *out = NULL;
    if (!object_read_head(&o))
        return TN_ERR_IO;
    const size_t section_bytes = (size_t)o.head.e_shnum * sizeof *o.sections;
    code *c = memory_alloc(a, sizeof *c);
    o.sections = memory_alloc(a, section_bytes);
    tn_status s = TN_ERR_NOMEM;
    if (c && o.sections) {
        *c = (code){.allocator = a};
        s = load_object(&o, c);
    }
    memory_free(a, o.sections, section_bytes);
    memory_free(a, o.symbols, o.n_symbols * sizeof *o.symbols);
    if (s == TN_OK)
        *out = c;
    else if (o.sections)
        code_free(c);
    else
        memory_free(a, c, sizeof *c);
    return s;
}

code_function *code_find(const code *c, const char *name)
{
    const named_function key = {name, 0};
    const named_function *found =
        c->n_functions ? bsearch(&key, c->functions, c->n_functions, sizeof key, by_name) : NULL;
    return found ? (code_function *)found->address : NULL;
}

code_function *code_only(const code *c)
{
    return c->n_functions == 1 ? (code_function *)c->functions[0].address : NULL;
}

void code_free(code *c)
{
    if (!c)
        return;
    const tn_allocator *a = c->allocator;
    if (c->memory)
        (void)munmap(c->memory, c->mapped);
    memory_free(a, c->functions, c->cap_functions * sizeof *c->functions);
    memory_free(a, c->names, c->n_names);
    memory_free(a, c, sizeof *c);
}

#else /* another machine: nothing can be loaded */

tn_status code_load(const tn_allocator *a, const void *bytes, size_t n, code **out)
{
    (void)a;
    (void)bytes;
    (void)n;
    *out = NULL;
    return TN_ERR_UNAVAILABLE;
}

code_function *code_find(const code *c, const char *name)
{
    (void)c;
    (void)name;
    return NULL;
}

code_function *code_only(const code *c)
{
    (void)c;
    return NULL;
}

void code_free(code *c)
{
    (void)c;
}

#endif
