/* Checkpoints: the tensors in one file, and a description that appears after it. */
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "api/api.h"
#include "base/memory/hash.h"
#include "base/system/output.h"
#include "base/text/json.h"
#include "base/text/text.h"
#include "io/array.h"
#include "io/input.h"
#include "io/safetensors.h"
#include "train/checkpoint_folder.h"
#include "train/facts.h"

#define FORMAT "tenon-train-1"

/* ---- what is in one ---- */

/* The tensors, in order: all weights, then the state of each. */
typedef struct tensors {
    const char **names;
    array *arrays;
    size_t n;
} tensors;

static void add(tensors *list, const char *name, const tn_buffer *b)
{
    array *a = &list->arrays[list->n];
    list->names[list->n++] = name;
    *a = (array){.dtype = b->type.dtype, .rank = b->type.rank, .data = b->data, .bytes = b->bytes};
    memcpy(a->dims, b->type.dims, a->rank * sizeof a->dims[0]);
}

static bool is_listed(const tensors *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->names[i], name) == 0)
            return true;
    return false;
}

/* May `w:mean` be the state `mean` of the weight `w`, and something else? */
static bool has_colons(const tn_trainer *t)
{
    bool any = false;
    for (size_t k = 0; k < t->n_weights; k++)
        any = any || strchr(t->weights[k].name, ':');
    for (size_t k = 0; k < t->n_rules; k++)
        for (size_t i = 0; i < t->rules[k].n_state; i++)
            any = any || strchr(t->rules[k].ports[t->rules[k].state[i]].name, ':');
    return any;
}

static tn_status list_tensors(const tn_trainer *t, arena *memory, tensors *list)
{
    const bool may_clash = has_colons(t);
    size_t n = t->n_weights;
    for (size_t k = 0; k < t->n_weights; k++)
        n += t->rules[t->weights[k].rule].n_state;
    *list = (tensors){ARENA_ARRAY(memory, const char *, n), ARENA_ARRAY(memory, array, n), 0};
    if (!list->names || !list->arrays)
        return diag_no_memory(&t->cx->diag);
    for (size_t k = 0; k < t->n_weights; k++)
        add(list, t->weights[k].name, &t->weights[k].value);
    for (size_t k = 0; k < t->n_weights; k++) {
        const weight *w = &t->weights[k];
        const rule *r = &t->rules[w->rule];
        for (size_t i = 0; i < r->n_state; i++) {
            const tn_buffer state = trainer_state(t, w, i);
            const char *name = arena_printf(memory, "%s:%s", w->name, r->ports[r->state[i]].name);
            while (name && may_clash && is_listed(list, name))
                name = arena_printf(memory, "%s:", name);
            if (!name)
                return diag_no_memory(&t->cx->diag);
            add(list, name, &state);
        }
    }
    return TN_OK;
}

static uint64_t hash_of(const tensors *list)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < list->n; i++)
        hash = hash_bytes(hash, list->arrays[i].data, list->arrays[i].bytes);
    return hash;
}

/* ---- writing ---- */

tn_status tn_trainer_check_folder(const tn_trainer *t, const char *folder)
{
    return context_done(t->cx, folder_check(t, folder));
}

static void describe(const tn_trainer *t, const facts *f, text_buffer *out)
{
    facts copy = *f;
    text_puts(out, "{\"format\":\"" FORMAT "\"");
    for (size_t i = 0; i < FACTS_STORED; i++) {
        const uint64_t value = *facts_at(&copy, i);
        text_printf(out,
                    facts_fields[i].is_hash ? ",\"%s\":\"%016" PRIx64 "\"" : ",\"%s\":%" PRIu64,
                    facts_fields[i].name, value);
    }
    text_printf(out, ",\"tensors\":\"step-%08" PRIu64 FOLDER_TENSORS "\",\"weights\":[", f->step);
    for (size_t k = 0; k < t->n_weights; k++) {
        if (k > 0)
            text_putc(out, ',');
        text_json_string(out, t->weights[k].name, strlen(t->weights[k].name));
    }
    text_puts(out, "]}\n");
}

static tn_status end_set(context *cx, output_set *set, const char *path, tn_status s)
{
    if (!output_set_end(set, s == TN_OK) && s == TN_OK)
        s = io_unwritten(cx, path);
    return s;
}

static tn_status write_tensors(const tn_trainer *t, const char *folder, const char *path,
                               const tensors *list)
{
    output_set set;
    output_set_init(&set, &t->cx->allocator);
    set.durable = true;
    tn_status s = output_set_folder(&set, folder) ? TN_OK : io_unwritten(t->cx, folder);
    if (s == TN_OK)
        s = safetensors_write(t->cx, &set, path, list->names, list->arrays, list->n);
    return end_set(t->cx, &set, path, s);
}

static tn_status write_description(const tn_trainer *t, const char *path, const facts *f)
{
    output_set set;
    text_buffer text;
    text_init(&text, &t->cx->allocator);
    describe(t, f, &text);
    output_set_init(&set, &t->cx->allocator);
    set.durable = true;
    output *o = text.failed ? NULL : output_open(&set, AT_FDCWD, path);
    const bool ok = o && output_write(&set, o, text.at, text.n) && output_close(o);
    tn_status s = ok            ? TN_OK
                  : text.failed ? diag_no_memory(&t->cx->diag)
                                : io_unwritten(t->cx, path);
    text_release(&text);
    return end_set(t->cx, &set, path, s);
}

static tn_status save(const tn_trainer *t, arena *memory, const char *folder, uint64_t keep)
{
    tensors list;
    facts f = facts_of(t);
    const char *data = folder_path(memory, folder, t->step, FOLDER_TENSORS);
    const char *text = folder_path(memory, folder, t->step, FOLDER_DESCRIPTION);
    if (!data || !text)
        return diag_no_memory(&t->cx->diag);
    TN_TRY(folder_check(t, folder));
    TN_TRY(list_tensors(t, memory, &list));
    f.hash = hash_of(&list);
    TN_TRY(write_tensors(t, folder, data, &list));
    TN_TRY(folder_own(t, folder));
    TN_TRY(write_description(t, text, &f));
    return keep > 0 ? folder_prune(t->cx, memory, folder, keep) : TN_OK;
}

tn_status tn_trainer_save(const tn_trainer *t, const char *folder, uint64_t keep)
{
    arena memory;
    tn_status s = ranks_gather_state(t);
    arena_init(&memory, &t->cx->allocator);
    if (s == TN_OK)
        s = ranks_agree(t, t->transport.rank == 0 ? save(t, &memory, folder, keep) : TN_OK);
    arena_release(&memory);
    return context_done(t->cx, ranks_leave(t, s));
}

/* ---- reading ---- */

static bool read_hash(json *j, uint64_t *hash)
{
    json_text text;
    *hash = 0;
    if (!json_string(j, &text))
        return false;
    for (size_t i = 0; i < text.n; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = text.n == 16 ? strchr(digits, text.at[i]) : NULL;
        if (!digit || !*digit)
            return json_fail(j, DIAG_InvalidNumber, text.where,
                             "16 hexadecimal digits are wanted here");
        *hash = *hash << 4 | (uint64_t)(digit - digits);
    }
    return text.n == 16 || json_fail(j, DIAG_InvalidNumber, text.where, "a hash is wanted here");
}

static bool read_fact(json *j, json_text key, facts *f, unsigned *seen)
{
    json_text format;
    if (json_is(key, "format"))
        return json_string(j, &format) &&
               (json_is(format, FORMAT) ||
                json_fail(j, DIAG_UnsupportedVersion, format.where,
                          "only checkpoints of the format " FORMAT " are read"));
    for (size_t i = 0; i < FACTS_STORED; i++)
        if (json_is(key, facts_fields[i].name)) {
            *seen |= 1U << i;
            return facts_fields[i].is_hash ? read_hash(j, facts_at(f, i))
                                           : json_u64(j, facts_at(f, i));
        }
    return json_skip(j);
}

static tn_status read_description(context *cx, arena *memory, const char *path, facts *f)
{
    source src = {.name = path};
    json j;
    json_text key;
    unsigned seen = 0;
    text_room room = {.arena = memory};
    TN_TRY(text_file_read(cx, &room, path, &src.text, &src.length));
    json_init(&j, cx, &src, memory, false);
    if (json_object(&j))
        while (json_member(&j, &key) && read_fact(&j, key, f, &seen))
            ;
    if (json_ok(&j))
        (void)json_finish(&j);
    tn_status s = json_status(&j);
    json_release(&j);
    for (size_t i = 0; s == TN_OK && i < FACTS_NEEDED; i++)
        if (!(seen & 1U << i))
            s = io_error(cx, path, "does not describe a checkpoint: it has no '%s'",
                         facts_fields[i].name);
    return s == TN_ERR_REJECTED ? TN_ERR_IO : s;
}

/* Is it a checkpoint of this training? */
static tn_status compare(const tn_trainer *t, const char *path, uint64_t step, facts *have)
{
    facts want = facts_of(t);
    want.step = step;
    for (size_t i = 0; i < FACTS_STORED; i++) {
        const uint64_t x = *facts_at(have, i), y = *facts_at(&want, i);
        const char *text = facts_fields[i].text;
        if (i == FACTS_HASH || x == y || (i >= FACTS_NEEDED && x == 0))
            continue;
        if (i == FACTS_STEP)
            return io_error(t->cx, path, "describes step %" PRIu64, x);
        if (facts_fields[i].is_hash)
            return trainer_fault(t->cx, DIAG_InputMismatch, "%s: the checkpoint is of another %s",
                                 path, text);
        return trainer_fault(t->cx, DIAG_InputMismatch,
                             "%s: the checkpoint has %" PRIu64 " as its %s, not %" PRIu64, path, x,
                             text, y);
    }
    return TN_OK;
}

/* Read one tensor of the training, and chain its hash; FILL: and give it to the training. */
static tn_status read_tensor(context *cx, const char *path, tn_tensor_file *file, const char *name,
                             const array *to, bool fill, uint64_t *hash)
{
    size_t at;
    tn_type have;
    tn_buffer b;
    const io_text shown = io_printable(name, strlen(name));
    if (!tn_tensor_file_find(file, name, &at))
        return io_error(cx, path, "has no tensor '%s'", shown.text);
    TN_TRY(tn_tensor_file_type(file, at, &have));
    if (have.dtype != to->dtype || have.rank != to->rank ||
        memcmp(have.dims, to->dims, to->rank * sizeof *to->dims) != 0)
        return trainer_fault(cx, DIAG_InputMismatch,
                             "%s: the tensor '%s' has another type or shape", path, shown.text);
    TN_TRY(tn_tensor_file_load(file, at, &b));
    *hash = hash_bytes(*hash, b.data, to->bytes);
    if (fill && to->bytes > 0)
        memcpy(to->data, b.data, to->bytes);
    tn_tensor_file_unload(file, at);
    return TN_OK;
}

static tn_status read_all(context *cx, const char *path, tn_tensor_file *file, const tensors *list,
                          bool fill, uint64_t want)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < list->n; i++)
        TN_TRY(read_tensor(cx, path, file, list->names[i], &list->arrays[i], fill, &hash));
    return hash == want ? TN_OK
                        : io_error(cx, path, "is damaged: its tensors have another checksum");
}

/* All are read once before the first is taken, so that a damaged file changes nothing. */
static tn_status read_tensors(const tn_trainer *t, arena *memory, const char *path, uint64_t hash)
{
    tensors list;
    tn_tensor_file *file;
    TN_TRY(list_tensors(t, memory, &list));
    TN_TRY(tn_tensor_file_open(t->cx, path, &file));
    tn_status s = read_all(t->cx, path, file, &list, false, hash);
    if (s == TN_OK)
        s = read_all(t->cx, path, file, &list, true, hash);
    tn_tensor_file_close(file);
    return s;
}

static tn_status resume(tn_trainer *t, arena *memory, const char *folder, uint64_t step)
{
    facts have = {0};
    const char *text = folder_path(memory, folder, step, FOLDER_DESCRIPTION);
    const char *data = folder_path(memory, folder, step, FOLDER_TENSORS);
    if (!data || !text)
        return diag_no_memory(&t->cx->diag);
    TN_TRY(read_description(t->cx, memory, text, &have));
    TN_TRY(compare(t, text, step, &have));
    TN_TRY(read_tensors(t, memory, data, have.hash));
    loader_free(t->loader);
    t->loader = NULL;
    t->has_met = false;
    t->step = step;
    return TN_OK;
}

tn_status tn_trainer_resume(tn_trainer *t, const char *folder, bool *found)
{
    arena memory;
    steps_found steps = {0};
    *found = false;
    arena_init(&memory, &t->cx->allocator);
    tn_status s = folder_steps(t->cx, folder, FOLDER_DESCRIPTION, &steps);
    if (s == TN_OK && steps.n > 0)
        s = resume(t, &memory, folder, steps.at[0]);
    if (s == TN_OK && steps.n > 0)
        s = folder_own(t, folder);
    *found = s == TN_OK && steps.n > 0;
    VECTOR_RELEASE(&t->cx->allocator, &steps);
    arena_release(&memory);
    return context_done(t->cx, s);
}
