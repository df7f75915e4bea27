/* What ranks pass each other by custom calls: groups that are none are refused by all of them, as
 * are operands of different sizes. */
#include <pthread.h>
#include <stdio.h>

#include "api_fixture.h"
#include "tenon/train.h"

enum { RANKS = 3, MOST = 4 };

typedef struct job {
    const char *groups; /* RANKS rows of two */
    int64_t n;          /* elements of the operand, each the number of the rank and 1 */
    tn_transport transport;
    tn_status status;
    int64_t place;
    float all[2 * MOST];
} job;

static tn_status run_program(tn_context *cx, const char *text, job *j)
{
    tn_module *m = NULL;
    tn_program *p = NULL;
    float x[MOST];
    const tn_read_options read = {.dialect = "ptir-text"};
    const tn_compile_options compile = {.size = sizeof compile, .engine = "ref"};
    for (int64_t i = 0; i < j->n; i++)
        x[i] = (float)j->transport.rank + 1;
    tn_status s = tn_context_register_exchange(cx, &j->transport);
    if (s == TN_OK)
        s = tn_module_read(cx, &read, text, strlen(text), &m);
    if (s == TN_OK)
        s = tn_program_compile(m, &compile, &p);
    const size_t bytes = (size_t)j->n * sizeof *x;
    tn_buffer in = {x, bytes, {TN_F32, 1, {j->n}}};
    tn_buffer out[2] = {{j->all, 2 * bytes, {TN_F32, 2, {2, j->n}}},
                        {&j->place, sizeof j->place, {.dtype = TN_SI64}}};
    if (s == TN_OK)
        s = tn_program_run(p, &in, 1, out, 2, NULL);
    tn_program_free(p);
    tn_module_free(m);
    return s;
}

static void *run_rank(void *arg)
{
    job *j = arg;
    char text[512];
    const long long n = (long long)j->n;
    tn_context *cx = tn_context_new(NULL, NULL);
    (void)snprintf(text, sizeof text,
                   "func @main(%%x: tensor<f32, %lld>) -> (tensor<f32, 2x%lld>, tensor<si64>) {\n"
                   "  %%y = custom_call(%%x) target[\"tenon.exchange\"] attrs[groups = [%s], "
                   "number = 0, size = 2] -> (tensor<f32, 2x%lld>, tensor<si64>)\n"
                   "  return %%y[0], %%y[1]\n"
                   "}\n",
                   n, n, j->groups, n);
    j->status = cx ? run_program(cx, text, j) : TN_ERR_NOMEM;
    tn_context_free(cx);
    return NULL;
}

/* Run the program on all ranks; EXTRA: elements that the last has more. */
static bool run_all(job *jobs, const char *groups, int64_t extra)
{
    pthread_t threads[RANKS];
    bool ok = true;
    tn_rank_group *group = tn_rank_group_new(RANKS);
    if (!group)
        return false;
    for (uint32_t r = 0; r < RANKS; r++) {
        jobs[r] = (job){.groups = groups, .n = 3 + (r == RANKS - 1 ? extra : 0)};
        ok = tn_rank_group_transport(group, r, &jobs[r].transport) && ok;
    }
    for (uint32_t r = 0; r < RANKS; r++)
        ok = pthread_create(&threads[r], NULL, run_rank, &jobs[r]) == 0 && ok;
    for (uint32_t r = 0; r < RANKS; r++)
        (void)pthread_join(threads[r], NULL);
    tn_rank_group_free(group);
    return ok;
}

static void test_fine(void)
{
    job jobs[RANKS];
    if (!CHECK(run_all(jobs, "2, 0, -1, -1, 2, 0", 0)))
        return;
    for (uint32_t r = 0; r < RANKS; r++) {
        CHECK_INT(jobs[r].status, TN_OK);
        CHECK_INT(jobs[r].place, r == 0 ? 1 : r == 1 ? -1 : 0);
        for (int i = 0; i < 6; i++)
            CHECK(jobs[r].all[i] == (r == 1 ? 0 : i < 3 ? 3 : 1));
    }
}

static void test_refused(const char *groups, int64_t extra, tn_status status)
{
    job jobs[RANKS];
    if (!CHECK(run_all(jobs, groups, extra)))
        return;
    for (uint32_t r = 0; r < RANKS; r++)
        CHECK_INT(jobs[r].status, status);
}

int main(void)
{
    test_fine();
    test_refused("0, 0, 1, 1, 2, 2", 0, TN_ERR_REJECTED); /* twice */
    test_refused("1, -1, 1, -1, 2, -1", 0,
                 TN_ERR_REJECTED);                         /* 0 is in a group, but not in its own */
    test_refused("0, 1, 1, 0, 2, -1", 0, TN_ERR_REJECTED); /* two orders */
    test_refused("0, 3, 1, -1, 2, -1", 0, TN_ERR_REJECTED); /* there is no rank 3 */
    test_refused("0, 2, 1, -1, 0, 2", 1, TN_ERR_RUN);       /* other sizes */
    return check_result();
}
