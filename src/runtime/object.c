/* Reading objects. */
#include "runtime/object.h"

#if defined(__x86_64__) && defined(__linux__)
#include <string.h>

bool object_has(const object *o, uint64_t at, uint64_t n)
{
    return at <= o->n && n <= o->n - at;
}

Elf64_Shdr object_section(const object *o, size_t k)
{
    Elf64_Shdr s;
    memcpy(&s, o->bytes + o->head.e_shoff + k * sizeof s, sizeof s);
    return s;
}

Elf64_Sym object_symbol(const object *o, size_t k)
{
    Elf64_Sym s;
    memcpy(&s, o->bytes + o->symbol_table.sh_offset + k * sizeof s, sizeof s);
    return s;
}

bool object_read_head(object *o)
{
    if (o->n < sizeof o->head || o->n > OBJECT_AT_MOST)
        return false;
    memcpy(&o->head, o->bytes, sizeof o->head);
    const Elf64_Ehdr *h = &o->head;
    return memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 && h->e_ident[EI_CLASS] == ELFCLASS64 &&
           h->e_ident[EI_DATA] == ELFDATA2LSB && h->e_type == ET_REL && h->e_machine == EM_X86_64 &&
           h->e_shentsize == sizeof(Elf64_Shdr) && h->e_shnum > 0 &&
           object_has(o, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr));
}

bool section_is_loaded(const Elf64_Shdr *s)
{
    return (s->sh_flags & SHF_ALLOC) && s->sh_size > 0 && s->sh_type != SHT_X86_64_UNWIND;
}

bool section_is_code(const Elf64_Shdr *s)
{
    return s->sh_flags & SHF_EXECINSTR;
}

bool object_check_section(const object *o, const Elf64_Shdr *s)
{
    if (s->sh_type != SHT_NOBITS && !object_has(o, s->sh_offset, s->sh_size))
        return false;
    return !section_is_loaded(s) ||
           (s->sh_type != SHT_NOBITS && !(s->sh_flags & (SHF_TLS | SHF_WRITE)));
}

bool object_find_symbols(object *o)
{
    for (size_t k = 0; k < o->head.e_shnum; k++) {
        const Elf64_Shdr s = object_section(o, k);
        if (s.sh_type != SHT_SYMTAB)
            continue;
        if (o->n_symbols || s.sh_entsize != sizeof(Elf64_Sym) || s.sh_link >= o->head.e_shnum)
            return false;
        o->symbol_table = s;
        o->n_symbols = s.sh_size / sizeof(Elf64_Sym);
        o->strings = object_section(o, s.sh_link);
        if (o->strings.sh_type != SHT_STRTAB || o->strings.sh_size == 0 ||
            o->bytes[o->strings.sh_offset + o->strings.sh_size - 1] != 0)
            return false;
    }
    return o->n_symbols > 0;
}
#endif
