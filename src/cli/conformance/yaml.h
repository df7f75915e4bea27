/* The subset of YAML that test files use: maps by indentation, plain and quoted scalars, `|`
 * blocks, lists in brackets or by dashes, comments. */
#ifndef CLI_CONFORMANCE_YAML_H
#define CLI_CONFORMANCE_YAML_H

#include "cli/session/cli_text.h"

typedef enum yaml_kind { YAML_SCALAR, YAML_MAP, YAML_LIST } yaml_kind;

typedef struct yaml {
    yaml_kind kind;
    const char *key;   /* of an entry of a map; NULL otherwise */
    const char *place; /* of an entry of a map: where it stands in the text that is read */
    const char *text;  /* of a scalar; NUL-terminated */
    struct yaml *first, *next;
    const struct yaml **sorted; /* of a map with several entries: those, by key; NULL otherwise */
    size_t n_sorted;
} yaml;

/* What is wrong with a text. */
typedef struct yaml_fault {
    const char *expected; /* in words; NULL: nothing is wrong */
    unsigned line;
} yaml_fault;

/* Read TEXT, which ends with a NUL. Everything lives in MEMORY; NULL and *FAULT say what is wrong.
 */
yaml *yaml_read(const char *text, cli_pool *memory, yaml_fault *fault);

/* The entry of a map with this KEY, or NULL. */
const yaml *yaml_entry(const yaml *map, const char *key);
/* The entry at the PATH `a.b.c`, or NULL. */
const yaml *yaml_find(const yaml *y, const char *path);
/* Its text, or NULL when it is no scalar. */
const char *yaml_text(const yaml *y, const char *path);

#endif
