/* What the tests of the public interface share: an allocator, a sink, a writer and programs. */
#ifndef TEST_API_FIXTURE_H
#define TEST_API_FIXTURE_H

#include <stdlib.h>

#include "check.h"
#include "tenon/tenon.h"

/* ---- an allocator that counts, checks sizes, and can fail ---- */

typedef struct meter {
    size_t alive;      /* bytes */
    unsigned wrong;    /* calls with another size than the block has */
    unsigned requests; /* so far */
    unsigned fail_at;  /* the request that fails, and every one after it; 0: none */
    bool fail_once;    /* only that one */
    bool failed;
} meter;

enum { HEADER = 16 };

static inline void *metered(void *user, void *block, size_t old_size, size_t new_size)
{
    meter *m = user;
    char *base = block ? (char *)block - HEADER : NULL;
    size_t have = 0;
    if (base)
        memcpy(&have, base, sizeof have);
    if (block && have != old_size)
        m->wrong++;
    if (new_size == 0) {
        m->alive -= have;
        free(base);
        return NULL;
    }
    m->requests++;
    if (m->fail_at && (m->requests == m->fail_at || (!m->fail_once && m->requests > m->fail_at))) {
        m->failed = true;
        return NULL;
    }
    char *moved = realloc(base, HEADER + new_size);
    if (!moved)
        return NULL;
    memcpy(moved, &new_size, sizeof new_size);
    m->alive += new_size - have;
    return moved + HEADER;
}

/* ---- a sink that remembers --------------------------------------------------------------------
 */

typedef struct record {
    unsigned n;
    tn_severity severity;
    char kind[40], code[40], message[256], note[256], node[40];
    uint32_t line, column;
} record;

static inline void remember(void *user, const tn_diagnostic *d)
{
    record *r = user;
    r->n++;
    r->severity = d->severity;
    (void)snprintf(r->kind, sizeof r->kind, "%s", d->kind);
    (void)snprintf(r->code, sizeof r->code, "%s", d->code);
    (void)snprintf(r->message, sizeof r->message, "%s", d->message);
    (void)snprintf(r->node, sizeof r->node, "%s", d->node);
    (void)snprintf(r->note, sizeof r->note, "%s", d->n_notes ? d->notes[0].message : "");
    r->line = d->place.line;
    r->column = d->place.column;
}

/* ---- every allocation may fail ---- */

/* Do WORK with every request failing in turn, alone if FAIL_ONCE: each time it ends with a clean
 * status, has reported what was wrong, and leaks nothing. */
static inline void fail_each_request(tn_status (*work)(tn_context *cx, const void *with),
                                     const void *with, bool fail_once)
{
    unsigned failures = 0;
    for (unsigned n = 1; n < 100000; n++) {
        record r = {0};
        tn_diagnostic_sink sink = {remember, &r};
        meter m = {.fail_at = n, .fail_once = fail_once};
        tn_allocator counting = {metered, &m};
        tn_context *cx = tn_context_new(&counting, &sink);
        tn_status s = cx ? work(cx, with) : TN_ERR_NOMEM;
        tn_context_free(cx);
        /* A fold that has no memory is left undone, and a text is dropped from a report. */
        bool right = s == TN_OK || (m.failed && s == TN_ERR_NOMEM && (r.n > 0 || !cx));
        if (!CHECK(m.alive == 0 && m.wrong == 0) || !CHECK(right)) {
            printf("    request %u, status %d, alive %zu, wrong sizes %u, %u reports, %s: %s\n", n,
                   (int)s, m.alive, m.wrong, r.n, r.kind, r.message);
            return;
        }
        failures += s != TN_OK;
        if (!m.failed)
            break;
    }
    CHECK(failures > 10);
}

/* ---- a writer into memory ---------------------------------------------------------------------
 */

typedef struct page {
    char text[8192];
    size_t n;
    bool refuses;
} page;

static inline bool put(void *user, const char *bytes, size_t n)
{
    page *p = user;
    if (p->refuses || n >= sizeof p->text - p->n)
        return false;
    memcpy(p->text + p->n, bytes, n);
    p->n += n;
    p->text[p->n] = '\0';
    return true;
}

/* ---- programs ----------------------------------------------------------------------------------
 */

__attribute__((unused)) static const char add_text[] =
    "%0 = Input () {name=\"x\"} : tensor<f32>[2, 3]\n"
    "%1 = Input () {name=\"y\"} : tensor<f32>[3]\n"
    "%2 = BinOp (%0, %1) {op=Add} : tensor<f32>[2, 3]\n"
    "outputs: %2, %0\n";

__attribute__((unused)) static const char index_text[] =
    "%0 = Input () {name=\"t\"} : tensor<f32>[4, 2]\n"
    "%1 = Input () {name=\"i\"} : tensor<i64>[3]\n"
    "%2 = Gather (%0, %1) : tensor<f32>[3, 2]\n"
    "outputs: %2\n";

__attribute__((unused)) static const char network_text[] =
    "# two layers, with dead code, duplicates, constants to fold and identities\n"
    "%0 = Input () {name=\"x\"} : tensor<f32>[3, 4]\n"
    "%1 = Input () {name=\"w\"} : tensor<f32>[4, 5]\n"
    "%2 = ConstTensor () {data=[0.5, 0.25, -1.0, 2.0, 0.0]} : tensor<f32>[5]\n"
    "%3 = MatMul (%0, %1) : tensor<f32>[3, 5]\n"
    "%4 = BinOp (%2, %3) {op=Add} : tensor<f32>[3, 5]\n"
    "%5 = Relu (%4) : tensor<f32>[3, 5]\n"
    "%6 = Relu (%4) : tensor<f32>[3, 5]\n"
    "%7 = Exp (%5) : tensor<f32>[3, 5]\n"
    "%8 = Sum (%7) {axes=[-1], keepdims=true} : tensor<f32>[3, 1]\n"
    "%9 = Log (%8) : tensor<f32>[3, 1]\n"
    "%10 = BinOp (%6, %9) {op=Sub} : tensor<f32>[3, 5]\n"
    "%11 = Transpose (%10) {permutation=[1, 0]} : tensor<f32>[5, 3]\n"
    "%12 = Transpose (%11) {permutation=[1, 0]} : tensor<f32>[3, 5]\n"
    "%13 = ConstF32 () {value=1.0} : tensor<f32>[]\n"
    "%14 = BinOp (%12, %13) {op=Mul} : tensor<f32>[3, 5]\n"
    "%15 = Slice (%14) {starts=[0, 4], ends=[3, -1], steps=[2, -2]} : tensor<f32>[2, 3]\n"
    "outputs: %14, %15\n";

/* Runs for ever, but for negative inputs. */
__attribute__((unused)) static const char endless_text[] =
    "func @main(%x: tensor<f32>) -> tensor<f32> {\n"
    "  %r = while(%x) cond_region[1] body_region[2] -> tensor<f32>\n"
    "  return %r\n"
    "}\n"
    "region @1(%i: tensor<f32>) -> (tensor<i1>, tensor<f32>) {\n"
    "  %z = constant value[0.0] -> tensor<f32>\n"
    "  %p = compare(%i, %z) op[greater_equal] -> tensor<i1>\n"
    "  return %p, %i\n"
    "}\n"
    "region @2(%i: tensor<f32>) -> tensor<f32> {\n"
    "  return %i\n"
    "}\n";

#endif
