/* What each pass changes. */
#include <inttypes.h>

#include "pass/pass.h"
#include "report/report.h"

/* Bytes of all texts together; passes after that are named, but not shown. */
enum { MOST_TEXTS = 1 << 20 };

typedef struct pass_log {
    text_buffer *out;
    text_buffer text; /* of one module */
    size_t used;
} pass_log;

static void put_module(pass_log *l, const char *name, const module *m, uint32_t n_changed,
                       bool is_shown)
{
    text_puts(l->out, "{\"pass\":");
    text_json_string(l->out, name, strlen(name));
    text_printf(l->out, ",\"changed\":%" PRIu32 ",\"nodes\":%" PRIu32, n_changed,
                module_entry(m)->nodes.n);
    text_reset(&l->text);
    if (is_shown && l->used <= MOST_TEXTS)
        module_print(m, &l->text);
    l->used += l->text.n;
    if (l->text.n > 0 && l->used <= MOST_TEXTS) {
        text_puts(l->out, ",\"text\":");
        text_json_string(l->out, l->text.at, l->text.n);
    }
    text_puts(l->out, "}");
}

static void note_pass(void *user, const module *m, pass_id id, uint32_t n_changed)
{
    pass_log *l = user;
    text_puts(l->out, ",\n");
    put_module(l, pass_table[id].name, m, n_changed, n_changed > 0);
}

tn_status report_passes(const report *r, text_buffer *out)
{
    pass_log l = {.out = out};
    const pass_observer observer = {note_pass, &l};
    module *copy = module_copy_to(r->o->module->graph, r->p->cx);
    if (!copy)
        return diag_no_memory(&r->p->cx->diag);
    text_init(&l.text, out->allocator);
    text_puts(out, "[");
    put_module(&l, "as read", copy, 0, true);
    const tn_status s =
        pass_run_level(copy, r->p->options.level, r->p->options.relaxed, false, &observer);
    text_puts(out, "]");
    out->failed = out->failed || l.text.failed;
    text_release(&l.text);
    module_free(copy);
    return s;
}
