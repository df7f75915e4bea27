/* Packing constants. */
#include "compile/jit_pack.h"

#include <stdatomic.h>

#include "graph/literal.h"

/* One constant operand of a kernel that is to be packed. */
typedef struct pack_step {
    const function *f;
    const kernel *k;
    kernel_plan *plan;
    uint32_t which; /* step of PLAN */
} pack_step;

typedef struct packer {
    const engine *e;
    jit_plan *plan;
    exe_kernel *const *run; /* by unit */
    jit_packs *packs;
    uint32_t made;
    workers *workers; /* NULL: the calling thread alone */
    /* One piece of memory for all that is missing, so that it lies in large pages. */
    payload *room;
    char *at;
    uint64_t left;
} packer;

/* ---- what there is to pack ---- */

typedef void each_fn(packer *p, const pack_step *s, uint64_t *bytes);

/* Call EACH for all constants that are packed once and have their elements. */
static void for_each(packer *p, each_fn *each, uint64_t *bytes)
{
    for (uint32_t i = 0; i < p->plan->m->functions.n; i++) {
        const function_plan *f = &p->plan->functions[i];
        for (uint32_t k = 0; f->plans && k < f->kernels.n; k++)
            for (uint32_t w = 0; w < f->plans[k].nest->n_steps; w++)
                if (f->plans[k].nest->steps[w].is_once) {
                    const pack_step s = {f->f, &f->kernels.at[k], &f->plans[k], w};
                    each(p, &s, bytes);
                }
    }
}

static const nest_step *step_of(const pack_step *s)
{
    return &s->plan->nest->steps[s->which];
}

static const literal *source_of(const pack_step *s)
{
    return literal_of(node_of(s->f, s->k->in[step_of(s)->buffers[step_of(s)->constant]]));
}

static uint64_t bytes_of(const pack_step *s)
{
    return s->plan->nest->temps[step_of(s)->packs];
}

/* Bytes into its tensor where the buffer that is packed begins. */
static uint64_t offset_of(const pack_step *s)
{
    const nest_move *moved = s->plan->steps[s->which].moved;
    for (uint32_t i = 0; i < step_of(s)->n_moved; i++)
        if (moved[i].at == step_of(s)->constant)
            return moved[i].bytes;
    return 0;
}

/* Is buffer number AT of the step's list what is packed? */
static bool is_packed(const pack_step *s, uint32_t at)
{
    return step_of(s)->buffers[at] == emit_buffer_count(s->k) + step_of(s)->packs;
}

static bool can_pack(const packer *p, const pack_step *s)
{
    return p->run[s->plan->steps[s->which].unit] && !source_of(s)->splat && bytes_of(s) > 0;
}

/* The program that packs, what it reads, and how much it writes. */
static void key_of(const pack_step *s, derived_key *key)
{
    const nest_step *step = step_of(s);
    const step_plan *plan = &s->plan->steps[s->which];
    derived_key_bytes(key, "pack", 4);
    derived_key_bytes(key, plan->own_key, plan->own_key_bytes);
    derived_key_number(key, step->n_buffers);
    derived_key_number(key, step->constant);
    for (uint32_t i = 0; i < step->n_buffers; i++)
        derived_key_number(key, is_packed(s, i));
    derived_key_number(key, (uint64_t)step->work);
    derived_key_number(key, offset_of(s));
    derived_key_number(key, bytes_of(s));
    derived_key_literal(key, source_of(s));
}

/* ---- memory ---- */

static void count_missing(packer *p, const pack_step *s, uint64_t *bytes)
{
    derived_key key;
    derived found;
    uint64_t each;
    if (!can_pack(p, s))
        return;
    derived_key_init(&key, p->plan->allocator);
    key_of(s, &key);
    if (derived_find(p->plan->m->derived, &key, &found))
        payload_drop(found.held);
    else if (!exe_rounded(bytes_of(s), &each) || __builtin_add_overflow(*bytes, each, bytes))
        *bytes = UINT64_MAX / 2;
    derived_key_release(&key);
}

static void make_room(packer *p)
{
    void *at = NULL;
    uint64_t bytes = 0;
    for_each(p, count_missing, &bytes);
    if (bytes > 0 && bytes < PTRDIFF_MAX / 2)
        p->room = payload_large(&p->e->allocator, (size_t)bytes, &at);
    p->at = at;
    p->left = p->room ? bytes : 0;
}

/* BYTES of the room, as a constant of its own. False when there are none. */
static bool take_room(packer *p, uint64_t bytes, derived *made)
{
    uint64_t rounded;
    if (!exe_rounded(bytes, &rounded) || rounded > p->left)
        return false;
    *made = (derived){p->at, payload_part(p->room)};
    if (!made->held)
        return false;
    p->at += rounded;
    p->left -= rounded;
    return true;
}

/* Threads to pack on, where there is much to do; NULL: none. */
static workers *workers_for(const engine *e, uint64_t bytes)
{
    enum { MANY = 8 << 20 };
    if (e->threads < 2 || bytes < MANY)
        return NULL;
    return e->pool.run ? workers_on_pool(&e->allocator, &e->pool)
                       : workers_new(&e->allocator, e->threads);
}

/* ---- packing ---- */

typedef struct packing {
    exe_kernel *run;
    char **buffers;
    char *scratch;
    uint64_t scratch_each;
    atomic_bool failed;
} packing;

static void pack_share(void *user, int64_t begin, int64_t end, uint32_t worker)
{
    packing *p = user;
    if (p->run(p->buffers, begin, end, p->scratch + worker * p->scratch_each) != 0)
        atomic_store_explicit(&p->failed, true, memory_order_relaxed);
}

/* Pack into TO. False when that is not possible. */
static bool pack_into(const packer *p, const pack_step *s, char *to)
{
    const nest_step *step = step_of(s);
    const uint32_t which = s->which;
    packing job = {.run = p->run[s->plan->steps[which].unit]};
    char *buffers[NEST_BUFFERS] = {NULL};
    uint64_t scratch;
    arena memory;
    arena_init(&memory, p->plan->allocator);
    if (exe_rounded(s->plan->steps[which].scratch, &job.scratch_each) &&
        !__builtin_mul_overflow(job.scratch_each, workers_count(p->workers), &scratch))
        job.scratch = arena_alloc_aligned(&memory, (size_t)scratch, EXE_ALIGN);
    bool ok = job.scratch != NULL;
    if (ok) {
        /* Only what is packed is written. */
        buffers[step->constant] = (char *)(uintptr_t)source_of(s)->data + offset_of(s);
        for (uint32_t i = 0; i < step->n_buffers; i++)
            if (is_packed(s, i))
                buffers[i] = to;
        if (s->plan->steps[which].n_numbers)
            buffers[step->n_buffers] = (char *)(uintptr_t)s->plan->steps[which].numbers;
        job.buffers = buffers;
        atomic_init(&job.failed, false);
        (void)workers_run(p->workers, 0, pack_share, &job, step->work, step->grain);
        ok = !atomic_load_explicit(&job.failed, memory_order_relaxed);
    }
    arena_release(&memory);
    return ok;
}

static bool make(packer *p, const pack_step *s, const derived_key *key, derived *made)
{
    if (!take_room(p, bytes_of(s), made))
        return false;
    if (!pack_into(p, s, (char *)(uintptr_t)made->data)) {
        payload_drop(made->held);
        return false;
    }
    derived_add(p->plan->m->derived, key, made);
    p->made++;
    return true;
}

static void provide(packer *p, const pack_step *s, uint64_t *unused)
{
    derived_key key;
    derived made;
    (void)unused;
    if (!can_pack(p, s))
        return;
    derived_key_init(&key, p->plan->allocator);
    key_of(s, &key);
    if (derived_find(p->plan->m->derived, &key, &made) || make(p, s, &key, &made)) {
        if (VECTOR_PUSH(p->packs->allocator, &p->packs->held, made.held))
            s->plan->steps[s->which].packed = made.data;
        else
            payload_drop(made.held);
    }
    derived_key_release(&key);
}

static void count_all(packer *p, const pack_step *s, uint64_t *n)
{
    *n += can_pack(p, s);
}

void jit_pack(const engine *e, jit_plan *plan, exe_kernel *const *run, jit_packs *packs,
              uint32_t *made)
{
    packer p = {.e = e, .plan = plan, .run = run, .packs = packs};
    uint64_t n = 0;
    packs->allocator = &e->allocator;
    *made = 0;
    for_each(&p, count_all, &n);
    if (n == 0)
        return;
    derived_lock(plan->m->derived);
    make_room(&p);
    p.workers = workers_for(e, p.left);
    for_each(&p, provide, NULL);
    derived_unlock(plan->m->derived);
    workers_free(p.workers);
    payload_drop(p.room); /* what was made holds it */
    *made = p.made;
}

void jit_packs_release(jit_packs *packs)
{
    for (uint32_t i = 0; i < packs->held.n; i++)
        payload_drop(packs->held.at[i]);
    VECTOR_RELEASE(packs->allocator, &packs->held);
    *packs = (jit_packs){.allocator = NULL};
}
