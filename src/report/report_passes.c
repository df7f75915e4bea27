/* What each pass changes. */
#include <inttypes.h>

#include "pass/pass.h"
#include "report/report.h"

/* Bytes of all texts together; passes after that are named, but not shown. */
enum { MOST_TEXTS = 1 << 20 };

typedef struct pass_log {
    text_buffer *out;
    size_t left; /* bytes that texts may still have */
} pass_log;

static void put_module(pass_log *l, const char *name, const module *m, uint32_t n_changed,
                       bool is_shown)
{
    text_buffer text;
    text_init(&text, l->out->allocator);
    text.most = l->left;
    text_puts(l->out, "{\"pass\":");
    text_json_string(l->out, name, strlen(name));
    text_printf(l->out, ",\"changed\":%" PRIu32 ",\"nodes\":%" PRIu32, n_changed,
                module_entry(m)->nodes.n);
    if (is_shown && l->left > 0)
        module_print(m, &text);
    l->left = text.too_long ? 0 : l->left - text.n;
    if (text.n > 0) {
        text_puts(l->out, ",\"text\":");
        text_json_string(l->out, text.at, text.n);
    }
    text_puts(l->out, "}");
    l->out->failed = l->out->failed || (text.failed && !text.too_long);
    text_release(&text);
}

static void note_pass(void *user, const module *m, pass_id id, uint32_t n_changed)
{
    pass_log *l = user;
    text_puts(l->out, ",\n");
    put_module(l, pass_table[id].name, m, n_changed, n_changed > 0);
}

tn_status report_passes(const report *r, text_buffer *out)
{
    pass_log l = {.out = out, .left = MOST_TEXTS};
    const pass_observer observer = {note_pass, &l};
    module *copy = module_copy_to(r->o->module->graph, r->p->cx);
    if (!copy)
        return diag_no_memory(&r->p->cx->diag);
    text_puts(out, "[");
    put_module(&l, "as read", copy, 0, true);
    const tn_status s =
        pass_run_level(copy, r->p->options.level, r->p->options.relaxed, false, &observer);
    text_puts(out, "]");
    module_free(copy);
    return s;
}
