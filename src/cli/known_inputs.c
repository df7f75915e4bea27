/* `--constant NAME=VALUE`: inputs that have a value for good, known when the program is read. A
 * value is an .npy file, or numbers in place: `16000`, `true`, `[[1, 2], [3, 4]]`. */
#include <string.h>

#include "cli/cli.h"

/* Numbers in place while they are read. Extents are those of the first list at each depth. */
typedef struct numbers {
    session *s;
    const char *at;
    double *floats; /* what follows, one entry a number */
    int64_t *ints;
    size_t cap, cap_ints, n;
    int64_t dims[TN_MAX_RANK];
    bool known[TN_MAX_RANK];
    uint32_t rank;
    bool all_ints, all_bools, ragged, no_memory;
} numbers;

static void skip_blanks(numbers *r)
{
    r->at += strspn(r->at, " \t");
}

static bool take_word(numbers *r, const char *word)
{
    const size_t n = strlen(word);
    if (strncmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

static bool take_number(numbers *r, int64_t *whole, double *number)
{
    char text[64];
    const size_t n = strspn(r->at, "+-.0123456789eE");
    const bool truth = take_word(r, "true");
    if (truth || take_word(r, "false")) {
        *whole = truth;
        *number = truth;
        return true;
    }
    if (n == 0 || n >= sizeof text)
        return false;
    memcpy(text, r->at, n);
    text[n] = '\0';
    r->at += n;
    r->all_bools = false;
    if (!number_i64(text, n, whole))
        r->all_ints = false;
    return number_f64(text, number);
}

static bool read_number_at(numbers *r, uint32_t depth)
{
    r->floats = cli_grow(&r->s->memory, r->floats, &r->cap, r->n, sizeof *r->floats);
    r->ints = cli_grow(&r->s->memory, r->ints, &r->cap_ints, r->n, sizeof *r->ints);
    r->no_memory = !r->floats || !r->ints;
    r->ragged = r->ragged || (r->n > 0 && depth != r->rank);
    r->rank = depth;
    return !r->no_memory && take_number(r, &r->ints[r->n], &r->floats[r->n]) && ++r->n;
}

static bool read_numbers(numbers *r, uint32_t depth)
{
    int64_t n = 0;
    skip_blanks(r);
    if (*r->at != '[')
        return read_number_at(r, depth);
    if (depth == TN_MAX_RANK)
        return false;
    r->at++;
    for (skip_blanks(r); *r->at != ']'; n++) {
        if (n > 0 && !take_word(r, ","))
            return false;
        if (!read_numbers(r, depth + 1))
            return false;
        skip_blanks(r);
    }
    r->at++;
    r->ragged = r->ragged || (r->known[depth] && r->dims[depth] != n);
    r->known[depth] = true;
    r->dims[depth] = n;
    r->rank = n == 0 && r->rank <= depth ? depth + 1 : r->rank;
    return true;
}

static tn_status read_in_place(session *s, const char *text, tn_buffer *out)
{
    numbers r = {.s = s, .at = text, .all_ints = true, .all_bools = true};
    const bool ok = read_numbers(&r, 0);
    skip_blanks(&r);
    if (r.no_memory)
        return no_memory(s);
    if (!ok || *r.at || r.ragged)
        return usage_error(s, "'%.100s' is no number, no list of numbers and no .npy file", text);
    out->type = (tn_type){.dtype = r.all_ints ? TN_SI64 : TN_F64, .rank = r.rank};
    memcpy(out->type.dims, r.dims, r.rank * sizeof r.dims[0]);
    out->data = r.all_ints ? (void *)r.ints : (void *)r.floats;
    out->bytes = r.n * sizeof(int64_t);
    if (r.n > 0)
        return TN_OK;
    out->data = cli_alloc(&s->memory, 1, sizeof(int64_t));
    return out->data ? TN_OK : no_memory(s);
}

static tn_status read_file(session *s, const char *path, tn_buffer *out)
{
    tn_tensor_file *file;
    tn_buffer loaded = {0};
    TN_TRY(tn_tensor_file_open(s->cx, path, &file));
    tn_status status = tn_tensor_file_load(file, 0, &loaded);
    if (status == TN_OK) {
        *out = loaded;
        out->data = cli_alloc(&s->memory, loaded.bytes + 1, 1);
        if (!out->data)
            status = no_memory(s);
        else
            memcpy(out->data, loaded.data, loaded.bytes);
    }
    tn_tensor_file_close(file);
    return status;
}

static bool is_file(const char *text)
{
    const size_t n = strlen(text);
    return n > 4 && strcmp(text + n - 4, ".npy") == 0;
}

tn_status known_input_add(session *s, const char *text)
{
    const size_t n = strcspn(text, "=");
    if (n == 0 || !text[n])
        return usage_error(s, "--constant takes NAME=VALUE, not '%s'", text);
    tn_known_input *known = &s->known[s->read.n_known];
    tn_buffer *value = cli_alloc(&s->memory, 1, sizeof *value);
    known->name = cli_copy(&s->memory, text, n);
    known->value = value;
    if (!known->name || !value)
        return no_memory(s);
    TN_TRY(is_file(text + n + 1) ? read_file(s, text + n + 1, value)
                                 : read_in_place(s, text + n + 1, value));
    s->read.n_known++;
    s->read.known = s->known;
    return TN_OK;
}
