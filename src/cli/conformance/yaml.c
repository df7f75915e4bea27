/* Reading the subset of YAML that test files use. */
#include "cli/conformance/yaml.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32 };

typedef struct yaml_reader {
    const char *text, *at;
    cli_pool *memory;
    uint32_t depth;
    yaml_fault *fault;
} yaml_reader;

static yaml *fail(yaml_reader *r, const char *expected)
{
    if (r->fault->expected)
        return NULL;
    r->fault->expected = expected;
    r->fault->line = 1;
    for (const char *at = r->text; at < r->at; at++)
        r->fault->line += *at == '\n';
    return NULL;
}

static yaml *out_of_memory(yaml_reader *r)
{
    return fail(r, "more memory");
}

static yaml *new_yaml(yaml_reader *r, yaml_kind kind)
{
    yaml *y = cli_alloc(r->memory, 1, sizeof *y);
    if (!y)
        return out_of_memory(r);
    y->kind = kind;
    return y;
}

/* ---- lines ---- */

static uint32_t indentation(const char *line)
{
    return (uint32_t)strspn(line, " ");
}

static void next_line(yaml_reader *r)
{
    r->at += strcspn(r->at, "\n");
    r->at += *r->at == '\n';
}

static bool is_blank(const char *line)
{
    line += strspn(line, " \t\r");
    return *line == '\n' || *line == '#' || *line == '\0' || strncmp(line, "---", 3) == 0 ||
           strncmp(line, "...", 3) == 0;
}

/* To the next line that says something; false at the end. */
static bool skip_blank(yaml_reader *r)
{
    while (*r->at && is_blank(r->at))
        next_line(r);
    return *r->at != '\0';
}

/* ---- scalars ---- */

/* The bytes up to the end of a string in QUOTE, or to that of the line. */
static size_t quoted_length(const char *text, char quote)
{
    const char *at = text;
    for (; *at && *at != '\n' && (*at != quote || (quote == '\'' && at[1] == '\'')); at++)
        at += (quote == '"' && *at == '\\' && at[1] && at[1] != '\n') || *at == quote;
    return (size_t)(at - text);
}

static yaml *read_quoted(yaml_reader *r)
{
    char quote = *r->at++, *out;
    yaml *y = new_yaml(r, YAML_SCALAR);
    size_t n = 0;
    if (!y)
        return NULL;
    out = cli_alloc(r->memory, quoted_length(r->at, quote) + 1, 1);
    if (!out)
        return out_of_memory(r);
    for (; *r->at != quote || (quote == '\'' && r->at[1] == '\''); r->at++) {
        if (*r->at == '\0' || *r->at == '\n')
            return fail(r, "the end of the string");
        if (quote == '\'' && *r->at == '\'') {
            r->at++;
        } else if (quote == '"' && *r->at == '\\' && r->at[1] && r->at[1] != '\n') {
            r->at++;
            const char *known = strchr("nrt0", *r->at);
            out[n++] = known ? "\n\r\t"[known - "nrt0"] : *r->at;
            continue;
        }
        out[n++] = *r->at;
    }
    r->at++;
    out[n] = '\0';
    y->text = out;
    return y;
}

/* Up to the end of the line, a comment, or one of STOPS. */
static yaml *read_plain(yaml_reader *r, const char *stops)
{
    const char *begin = r->at;
    yaml *y = new_yaml(r, YAML_SCALAR);
    while (*r->at && *r->at != '\n' && !strchr(stops, *r->at) &&
           !(*r->at == '#' && (r->at == begin || r->at[-1] == ' ')))
        r->at++;
    size_t n = (size_t)(r->at - begin);
    while (n && (begin[n - 1] == ' ' || begin[n - 1] == '\r' || begin[n - 1] == '\t'))
        n--;
    if (!y)
        return NULL;
    y->text = cli_copy(r->memory, begin, n);
    return y->text ? y : out_of_memory(r);
}

/* ---- keys ---- */

static int by_key(const void *a, const void *b)
{
    const yaml *x = *(const yaml *const *)a, *y = *(const yaml *const *)b;
    const int order = strcmp(x->key, y->key);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* Y, if each of its keys stands in it once. */
static yaml *with_own_keys(yaml_reader *r, yaml *y)
{
    const char *repeated = NULL;
    size_t n = 0, i = 0;
    for (const yaml *c = y->kind == YAML_MAP ? y->first : NULL; c; c = c->next)
        n++;
    if (n < 2)
        return y;
    const yaml **entries = cli_alloc(r->memory, n, sizeof *entries);
    if (!entries)
        return out_of_memory(r);
    for (const yaml *c = y->first; c; c = c->next)
        entries[i++] = c;
    qsort(entries, n, sizeof *entries, by_key);
    y->sorted = entries;
    y->n_sorted = n;
    for (i = 1; i < n; i++)
        if (strcmp(entries[i - 1]->key, entries[i]->key) == 0 &&
            (!repeated || entries[i]->place < repeated))
            repeated = entries[i]->place;
    if (!repeated)
        return y;
    r->at = repeated;
    return fail(r, "another key, as this one stands here already");
}

/* ---- lists and maps in brackets ---- */

static yaml *read_key(yaml_reader *r, const char *stops)
{
    return *r->at == '"' || *r->at == '\'' ? read_quoted(r) : read_plain(r, stops);
}

static yaml *read_flow(yaml_reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
    if (*r->at == '"' || *r->at == '\'')
        return read_quoted(r);
    if (*r->at != '[' && *r->at != '{')
        return read_plain(r, ",]}");
    if (++r->depth > DEEPEST)
        return fail(r, "fewer brackets in each other");
    bool is_map = *r->at++ == '{';
    yaml *list = new_yaml(r, is_map ? YAML_MAP : YAML_LIST), **last = list ? &list->first : NULL;
    while (list) {
        r->at += strspn(r->at, " \t\r\n,");
        if (*r->at == (is_map ? '}' : ']'))
            break;
        if (*r->at == '\0')
            return fail(r, "the end of the list");
        const char *place = r->at;
        yaml *key = is_map ? read_key(r, ":,}") : NULL;
        r->at += is_map ? strspn(r->at, " ") : 0;
        if (is_map && (!key || *r->at != ':'))
            return fail(r, "':'");
        r->at += is_map;
        yaml *item = read_flow(r);
        if (!item)
            return NULL;
        item->key = key ? key->text : NULL;
        item->place = place;
        *last = item;
        last = &item->next;
        if (*r->at && !strchr(" \t\r\n,]}", *r->at))
            return fail(r, "',' or the end of the list");
    }
    r->at += list != NULL;
    r->depth--;
    return list ? with_own_keys(r, list) : NULL;
}

/* ---- blocks ---- */

/* The lines behind `|` that are indented deeper than PARENT, without their common indentation. */
static yaml *read_text(yaml_reader *r, uint32_t parent)
{
    yaml *y = new_yaml(r, YAML_SCALAR);
    cli_text out = {0};
    uint32_t own = 0;
    bool chomp = r->at[1] == '-';
    next_line(r);
    size_t kept = 0; /* without blank lines at the end */
    for (; *r->at; next_line(r)) {
        size_t n = strcspn(r->at, "\n");
        uint32_t indent = indentation(r->at);
        bool blank = r->at[indent] == '\n' || r->at[indent] == '\r' || r->at[indent] == '\0';
        if (!blank && indent <= parent)
            break;
        if (!own && !blank)
            own = indent;
        uint32_t cut = indent < own ? indent : own;
        if (cut < n)
            cli_put(&out, r->at + cut, n - cut);
        cli_putc(&out, '\n');
        if (!blank)
            kept = out.n;
    }
    if (y && !out.failed)
        y->text = cli_copy(r->memory, kept ? out.at : "", chomp && kept ? kept - 1 : kept);
    cli_text_release(&out);
    return y && y->text ? y : out_of_memory(r);
}

static yaml *read_block(yaml_reader *r, uint32_t indent);

/* What stands behind `key:` or `-`, in a block that is indented by INDENT. */
static yaml *read_value(yaml_reader *r, uint32_t indent, bool behind_dash)
{
    r->at += strspn(r->at, " \t");
    if (*r->at == '|')
        return read_text(r, indent);
    if (*r->at == '[' || *r->at == '{' || *r->at == '"' || *r->at == '\'') {
        yaml *y = read_flow(r);
        if (y && !is_blank(r->at))
            return fail(r, "the end of the line");
        next_line(r);
        return y;
    }
    if (!is_blank(r->at)) {
        yaml *y = read_plain(r, "");
        next_line(r);
        return y;
    }
    next_line(r);
    if (!skip_blank(r) ||
        indentation(r->at) < indent + (behind_dash || r->at[indentation(r->at)] != '-')) {
        yaml *y = new_yaml(r, YAML_SCALAR);
        if (y)
            y->text = "";
        return y;
    }
    return read_block(r, indentation(r->at));
}

static yaml *read_entry(yaml_reader *r, uint32_t indent)
{
    yaml *key = read_key(r, ":");
    if (!key || *r->at != ':')
        return fail(r, "'key:'");
    r->at++;
    yaml *value = read_value(r, indent, false);
    if (value)
        value->key = key->text;
    return value;
}

/* Entries or items at INDENT. */
static yaml *read_block(yaml_reader *r, uint32_t indent)
{
    bool is_list = r->at[indent] == '-' && (r->at[indent + 1] == ' ' || r->at[indent + 1] == '\n');
    yaml *y = new_yaml(r, is_list ? YAML_LIST : YAML_MAP), **last = y ? &y->first : NULL;
    if (++r->depth > DEEPEST)
        return fail(r, "fewer blocks in each other");
    while (y && skip_blank(r) && indentation(r->at) >= indent) {
        if (indentation(r->at) > indent)
            return fail(r, "less indentation");
        if (is_list != (r->at[indent] == '-'))
            break;
        r->at += indent;
        if (*r->at == '\t')
            return fail(r, "spaces before an entry, not tabs");
        yaml *item;
        if (is_list) {
            r->at++;
            item = read_value(r, indent, true);
        } else {
            const char *place = r->at;
            item = read_entry(r, indent);
            if (item)
                item->place = place;
        }
        if (!item)
            return NULL;
        *last = item;
        last = &item->next;
    }
    r->depth--;
    return y ? with_own_keys(r, y) : NULL;
}

yaml *yaml_read(const char *text, cli_pool *memory, yaml_fault *fault)
{
    yaml_reader r = {.text = text, .at = text, .memory = memory, .fault = fault};
    yaml *y = NULL;
    *fault = (yaml_fault){0};
    if (!skip_blank(&r))
        (void)fail(&r, "an entry");
    else if (indentation(r.at))
        (void)fail(&r, "no indentation");
    else
        y = read_block(&r, 0);
    if (!fault->expected && skip_blank(&r))
        (void)fail(&r, "an entry");
    return fault->expected ? NULL : y;
}

/* As strcmp, of KEY and the N characters at TEXT. */
static int compare_key(const char *key, const char *text, size_t n)
{
    const int order = strncmp(key, text, n);
    return order ? order : key[n] != '\0';
}

static const yaml *entry(const yaml *y, const char *key, size_t n)
{
    const yaml *only = y && y->kind == YAML_MAP ? y->first : NULL;
    if (!only || !y->sorted)
        return only && compare_key(only->key, key, n) == 0 ? only : NULL;
    for (size_t low = 0, high = y->n_sorted; low < high;) {
        const size_t middle = low + (high - low) / 2;
        const int order = compare_key(y->sorted[middle]->key, key, n);
        if (order == 0)
            return y->sorted[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const yaml *yaml_entry(const yaml *map, const char *key)
{
    return entry(map, key, strlen(key));
}

const yaml *yaml_find(const yaml *y, const char *path)
{
    while (y && *path) {
        const size_t n = strcspn(path, ".");
        y = entry(y, path, n);
        path += n + (path[n] == '.');
    }
    return y;
}

const char *yaml_text(const yaml *y, const char *path)
{
    const yaml *found = yaml_find(y, path);
    return found && found->kind == YAML_SCALAR ? found->text : NULL;
}
