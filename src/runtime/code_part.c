/* One function of an object as an object of its own. The table of sections keeps its length, so
 * that all that names sections by number stays as it is; what is left out becomes no section. */
#include <string.h>

#include "runtime/code.h"
#include "runtime/object.h"

#if defined(__x86_64__) && defined(__linux__)

enum { NO_FUNCTION, OTHERS, ITS_OWN }; /* whose code a section has */

/* Note whose code each section has, in OF, by the names of its functions. False where FUNCTION is
 * not there, or shares a section with another. */
static bool find_owners(const object *o, const char *function, unsigned char *of)
{
    bool found = false;
    for (size_t k = 0; k < o->n_symbols; k++) {
        const Elf64_Sym s = object_symbol(o, k);
        if (ELF64_ST_BIND(s.st_info) != STB_GLOBAL || s.st_shndx == SHN_UNDEF ||
            s.st_shndx >= o->head.e_shnum || s.st_name >= o->strings.sh_size)
            continue;
        const char *name = o->bytes + o->strings.sh_offset + s.st_name;
        const unsigned char owner = strcmp(name, function) == 0 ? ITS_OWN : OTHERS;
        if (of[s.st_shndx] != NO_FUNCTION && of[s.st_shndx] != owner)
            return false;
        of[s.st_shndx] = owner;
        found = found || owner == ITS_OWN;
    }
    return found;
}

/* Is section S of no use without the code of other functions? */
static bool is_left_out(const object *o, const Elf64_Shdr *s, size_t k, const unsigned char *of)
{
    if (of[k] == OTHERS)
        return true;
    return (s->sh_type == SHT_RELA || s->sh_type == SHT_REL) && s->sh_info < o->head.e_shnum &&
           of[s->sh_info] == OTHERS;
}

/* Are these relocations of data, which functions may share? */
static bool are_of_data(const object *o, const Elf64_Shdr *s, const unsigned char *of)
{
    return s->sh_type == SHT_RELA && s->sh_entsize == sizeof(Elf64_Rela) &&
           s->sh_info < o->head.e_shnum && of[s->sh_info] == NO_FUNCTION;
}

/* The relocations S of data, but for those that lead to the code of other functions: that is in
 * their tables of jumps. */
static void put_relocations(const object *o, Elf64_Shdr *s, const unsigned char *of,
                            text_buffer *out)
{
    const size_t start = out->n;
    Elf64_Rela r;
    for (uint64_t at = 0; at + sizeof r <= s->sh_size; at += sizeof r) {
        memcpy(&r, o->bytes + s->sh_offset + at, sizeof r);
        const uint64_t k = ELF64_R_SYM(r.r_info);
        const uint16_t in = k < o->n_symbols ? object_symbol(o, k).st_shndx : SHN_UNDEF;
        if (in >= o->head.e_shnum || of[in] != OTHERS)
            text_put(out, (const char *)&r, sizeof r);
    }
    s->sh_size = out->n - start;
}

static void align(text_buffer *out, size_t start, uint64_t to)
{
    static const char zeros[64] = {0};
    const uint64_t over = to > 1 && to <= sizeof zeros ? (out->n - start) % to : 0;
    if (over)
        text_put(out, zeros, (size_t)(to - over));
}

/* The sections that stay, and in TABLE where they lie behind START. */
static bool put_sections(const object *o, const unsigned char *of, size_t start, Elf64_Shdr *table,
                         text_buffer *out)
{
    for (size_t k = 0; k < o->head.e_shnum; k++) {
        Elf64_Shdr s = object_section(o, k);
        if (!object_check_section(o, &s))
            return false;
        if (is_left_out(o, &s, k, of))
            s = (Elf64_Shdr){.sh_type = SHT_NULL};
        if (s.sh_type != SHT_NULL && s.sh_type != SHT_NOBITS) {
            align(out, start, s.sh_addralign);
            const size_t at = out->n - start;
            if (are_of_data(o, &s, of))
                put_relocations(o, &s, of, out);
            else
                text_put(out, o->bytes + s.sh_offset, (size_t)s.sh_size);
            s.sh_offset = at;
        }
        table[k] = s;
    }
    return true;
}

static bool put_part(object *o, const char *function, unsigned char *of, Elf64_Shdr *table,
                     text_buffer *out)
{
    const size_t start = out->n, table_bytes = o->head.e_shnum * sizeof *table;
    Elf64_Ehdr head = o->head;
    if (!find_owners(o, function, of))
        return false;
    text_put(out, (const char *)&head, sizeof head);
    if (!put_sections(o, of, start, table, out))
        return false;
    align(out, start, sizeof(uint64_t));
    head.e_shoff = out->n - start;
    text_put(out, (const char *)table, table_bytes);
    if (out->failed)
        return false;
    memcpy(out->at + start, &head, sizeof head);
    return true;
}

bool code_part(const tn_allocator *a, const void *bytes, size_t n, const char *function,
               text_buffer *out)
{
    object o = {.bytes = bytes, .n = n};
    if (!object_read_head(&o))
        return false;
    for (size_t k = 0; k < o.head.e_shnum; k++) {
        const Elf64_Shdr s = object_section(&o, k);
        if (!object_check_section(&o, &s))
            return false;
    }
    if (!object_find_symbols(&o))
        return false;
    const size_t of_bytes = o.head.e_shnum, table_bytes = o.head.e_shnum * sizeof(Elf64_Shdr);
    unsigned char *of = memory_alloc(a, of_bytes);
    Elf64_Shdr *table = memory_alloc(a, table_bytes);
    bool ok = of && table;
    if (ok) {
        memset(of, NO_FUNCTION, of_bytes);
        ok = put_part(&o, function, of, table, out);
    }
    memory_free(a, of, of_bytes);
    memory_free(a, table, table_bytes);
    return ok;
}

#else /* another machine, which loads no code either */

bool code_part(const tn_allocator *a, const void *bytes, size_t n, const char *function,
               text_buffer *out)
{
    (void)a;
    (void)bytes;
    (void)n;
    (void)function;
    (void)out;
    return false;
}

#endif
