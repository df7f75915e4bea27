/* tenon-llvm: one request to LLVM in a process of its own. It comes from standard input and is
 * answered on standard output; when memory runs out in LLVM, only this process ends. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "target/llvm/wire.h"

extern const llvm_plugin *tenon_llvm_plugin(void);

static void take(wire *w, void *at, size_t n)
{
    w->failed = w->failed || fread(at, 1, n, stdin) != n;
    if (w->failed)
        memset(at, 0, n);
}

static void *room(wire *w, size_t n)
{
    (void)w;
    return malloc(n); /* until the process ends */
}

static void *resize(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size > 0)
        return realloc(block, new_size);
    free(block);
    return NULL;
}

static int answer(const llvm_request *r, llvm_outcome outcome, const text_buffer *code)
{
    wire_answer a = {.outcome = (uint32_t)outcome};
    memcpy(a.message, r->message, sizeof a.message);
    const bool ok = fwrite(&a, sizeof a, 1, stdout) == 1 &&
                    (code->n == 0 || fwrite(code->at, 1, code->n, stdout) == code->n);
    return ok && fflush(stdout) == 0 ? 0 : 1;
}

static void keep(void *user, const char *bytes, size_t n)
{
    text_buffer *out = user; /* in one piece, which LLVM owns until `compile` returns */
    out->at = malloc(n ? n : 1);
    out->failed = !out->at;
    out->n = out->at ? n : 0;
    if (out->at)
        memcpy(out->at, bytes, n);
}

int main(void)
{
    static const tn_allocator allocator = {resize, NULL};
    const llvm_plugin *plugin = tenon_llvm_plugin();
    text_buffer code = {0};
    llvm_request r = {.allocator = &allocator, .put = keep, .user = &code};
    wire w = {.reads = true, .move = take, .room = room};
    wire_head head;
    (void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    take(&w, &head, sizeof head);
    if (w.failed || head.version != plugin->version || head.inst_size != plugin->inst_size ||
        head.op_count != plugin->op_count) {
        (void)snprintf(r.message, sizeof r.message, "'tenon-llvm' belongs to another version");
        return answer(&r, LLVM_UNAVAILABLE, &code);
    }
    r.n = (size_t)head.n;
    r.options = NULL;
    wire_request(&w, &head, &r);
    if (w.failed)
        return answer(&r, LLVM_NO_MEMORY, &code);
    const llvm_outcome outcome = plugin->compile(&r);
    return answer(&r, code.failed ? LLVM_NO_MEMORY : outcome, &code);
}
