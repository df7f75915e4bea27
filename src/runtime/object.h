/* Relocatable ELF objects for x86-64, as compilers write them: what loading and taking apart read
 * of their bytes, which may be anything. */
#ifndef RUNTIME_OBJECT_H
#define RUNTIME_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) && defined(__linux__)
#include <elf.h>

#ifndef SHT_X86_64_UNWIND /* musl has no such name */
#define SHT_X86_64_UNWIND 0x70000001
#endif

enum { OBJECT_AT_MOST = 1 << 30 }; /* bytes, so that distances fit 32 bits */

/* An object, and what is known of it while it is loaded. */
typedef struct object {
    const char *bytes;
    size_t n;
    Elf64_Ehdr head;
    uintptr_t *sections; /* by section: its address, or 0 when it is not loaded */
    uintptr_t *symbols;  /* by symbol: its address, or 0 when nothing defines it */
    size_t n_symbols;
    Elf64_Shdr symbol_table, strings;
    size_t code_bytes, data_bytes; /* the code without the links */
    size_t page;
} object;

/* Are the N bytes from AT on in O? */
bool object_has(const object *o, uint64_t at, uint64_t n);
Elf64_Shdr object_section(const object *o, size_t k);
Elf64_Sym object_symbol(const object *o, size_t k);
/* Read the head of the bytes; false: they are no such object. */
bool object_read_head(object *o);
/* The one table of symbols, with its names; an object without has no functions. */
bool object_find_symbols(object *o);
/* True when section S is one that can be loaded, or need not be. */
bool object_check_section(const object *o, const Elf64_Shdr *s);

bool section_is_loaded(const Elf64_Shdr *s);
bool section_is_code(const Elf64_Shdr *s);

#endif
#endif
