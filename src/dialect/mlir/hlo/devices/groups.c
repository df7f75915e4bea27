/* Which processes do an operation together: its groups are rows of replicas, of partitions, or of
 * places in the list of all processes. */
#include "dialect/mlir/hlo/devices/devices.h"

#include <inttypes.h>

/* What the numbers of a group mean. */
typedef enum group_mode {
    OF_REPLICAS,   /* in the partition of the process */
    OF_PARTITIONS, /* in its replica */
    OF_BOTH,       /* replicas, in all partitions */
    OF_ALL         /* places in the list */
} group_mode;

/* Rows of numbers; -1 is none. */
typedef struct group_table {
    int64_t at[SHLO_MOST_PROCESSES * SHLO_MOST_PROCESSES];
    uint32_t rows, columns;
} group_table;

static bool mode_of(shlo_call *c, group_mode *out)
{
    static const char *const pairwise[] = {"stablehlo.all_to_all", "stablehlo.collective_broadcast",
                                           "stablehlo.collective_permute"};
    int64_t channel = 0;
    if (shlo_attr(c, "channel_handle")) {
        const mir_fields *f = shlo_struct(c, "channel_handle");
        const mir_attr *handle = f ? mir_attr_named(f, "handle") : NULL;
        if (!f)
            return false;
        channel = handle && handle->kind == MIR_INT ? handle->i : 0;
    }
    *out = channel <= 0                                   ? OF_REPLICAS
           : shlo_flag(c, "use_global_device_ids", false) ? OF_ALL
                                                          : OF_BOTH;
    for (size_t i = 0; i < sizeof pairwise / sizeof *pairwise; i++)
        if (channel > 0 && mir_is(c->op->name, pairwise[i]))
            *out = OF_PARTITIONS;
    return true;
}

/* How many numbers there are. */
static uint32_t range_of(const shlo_process *p, group_mode mode)
{
    return mode == OF_PARTITIONS ? p->n_partitions
           : mode == OF_ALL      ? p->n_replicas * p->n_partitions
                                 : p->n_replicas;
}

/* ---- axes of a mesh ---- */

/* An axis of a mesh, or a part of one, and how far apart its neighbours are. */
typedef struct mesh_axis {
    mir_text name;
    int64_t size, stride;
} mesh_axis;

enum { MOST_AXES = 8 };

/* The next number behind WORD in T, which is moved behind it. */
static bool number_after(mir_text *t, const char *word, int64_t *out)
{
    const size_t n = strlen(word);
    for (; t->n >= n; t->at++, t->n--)
        if (memcmp(t->at, word, n) == 0) {
            t->at += n;
            t->n -= n;
            for (*out = 0; t->n && *t->at >= '0' && *t->at <= '9' && *out < INT32_MAX;
                 t->at++, t->n--)
                *out = *out * 10 + (*t->at - '0');
            return true;
        }
    return false;
}

/* The text in quotes behind the next `name = ` of T, which is moved behind it. */
static bool next_name(mir_text *t, mir_text *out)
{
    static const char word[] = "name = \"";
    int64_t none;
    if (!number_after(t, word, &none))
        return false;
    out->at = t->at;
    for (out->n = 0; t->n && *t->at != '"'; t->at++, t->n--)
        out->n++;
    return true;
}

/* `mesh = <axes = [<name = "x", size = 2>, ..]>, axes = [<name = "y", sub_axis_info = (1)2>, ..]`:
 * the axes of the mesh and, from *N_MESH on, those that vary within a group. */
static bool read_mesh(mir_text t, mesh_axis *axes, uint32_t *n_mesh, uint32_t *n)
{
    const char *end = t.at;
    while (end < t.at + t.n && *end != ']')
        end++;
    mir_text mesh = {t.at, (size_t)(end - t.at)}, own = {end, (size_t)(t.at + t.n - end)};
    *n_mesh = 0;
    while (*n_mesh < MOST_AXES && next_name(&mesh, &axes[*n_mesh].name)) {
        if (!number_after(&mesh, "size = ", &axes[*n_mesh].size))
            return false;
        (*n_mesh)++;
    }
    int64_t stride = 1;
    for (uint32_t i = *n_mesh; i-- > 0; stride *= axes[i].size) {
        axes[i].stride = stride;
        if (axes[i].size < 1 || stride * axes[i].size > SHLO_MOST_PROCESSES)
            return false;
    }
    for (*n = *n_mesh; *n < 2 * MOST_AXES && next_name(&own, &axes[*n].name); (*n)++) {
        uint32_t k = 0;
        while (k < *n_mesh && !mir_same(axes[k].name, axes[*n].name))
            k++;
        if (k == *n_mesh)
            return false;
        axes[*n].size = axes[k].size;
        axes[*n].stride = axes[k].stride;
        mir_text part = own;
        const char *close = memchr(own.at, '>', own.n);
        part.n = close ? (size_t)(close - own.at) : own.n;
        int64_t before, size;
        if (number_after(&part, "(", &before) && number_after(&part, ")", &size)) {
            if (before < 1 || size < 1 || axes[k].size % (before * size) != 0)
                return false;
            axes[*n].size = size;
            axes[*n].stride = axes[k].stride * (axes[k].size / (before * size));
        }
    }
    return *n_mesh > 0;
}

/* Groups in which the axes from N_MESH to N vary, and nothing else. */
static void mesh_table(const mesh_axis *axes, uint32_t n_mesh, uint32_t n, group_table *out)
{
    const uint32_t all = (uint32_t)(axes[0].size * axes[0].stride);
    out->rows = 0;
    out->columns = 1;
    for (uint32_t i = n_mesh; i < n; i++)
        out->columns *= (uint32_t)axes[i].size;
    for (uint32_t first = 0; first < all; first++) {
        bool is_first = true; /* of its group: it stands at 0 along all of its axes */
        for (uint32_t i = n_mesh; i < n; i++)
            is_first = is_first && first / axes[i].stride % axes[i].size == 0;
        if (!is_first || out->columns > SHLO_MOST_PROCESSES)
            continue;
        for (uint32_t k = 0; k < out->columns; k++) {
            int64_t place = first, rest = k;
            for (uint32_t i = n; i-- > n_mesh; rest /= axes[i].size)
                place += rest % axes[i].size * axes[i].stride;
            out->at[out->rows * out->columns + k] = place;
        }
        out->rows++;
    }
}

/* ---- the table ---- */

static bool read_table(shlo_call *c, uint32_t range, group_table *out)
{
    uint32_t n;
    const mir_attr *a = shlo_attr(c, "replica_groups");
    *out = (group_table){.rows = 1, .columns = range};
    for (uint32_t i = 0; i < range; i++)
        out->at[i] = i;
    if (a && a->kind == MIR_CUSTOM) {
        mesh_axis axes[2 * MOST_AXES];
        uint32_t n_mesh;
        if (!read_mesh(a->text, axes, &n_mesh, &n))
            return shlo_refuse(c, DIAG_InvalidAttribute, "the mesh of its groups is not readable");
        mesh_table(axes, n_mesh, n, out);
        return true;
    }
    if (!a || (a->kind == MIR_DENSE && a->type && a->type->rank == 2 &&
               (a->type->dims[0] == 0 || a->type->dims[1] == 0)))
        return true;
    if (a->kind != MIR_DENSE || !a->type || a->type->rank != 2 ||
        a->type->dims[0] > SHLO_MOST_PROCESSES || a->type->dims[1] > SHLO_MOST_PROCESSES)
        return shlo_refuse(c, DIAG_InvalidAttribute, "its groups are not a table of numbers");
    out->rows = (uint32_t)a->type->dims[0];
    out->columns = (uint32_t)a->type->dims[1];
    return shlo_ints_of(c, "replica_groups", a, out->rows * out->columns, out->at, &n) &&
           (n == out->rows * out->columns ||
            shlo_refuse(c, DIAG_InvalidAttribute, "its groups are not a table of numbers"));
}

static void put(shlo_group *g, uint32_t place)
{
    if (g->n < SHLO_MOST_PROCESSES)
        g->at[g->n++] = place;
}

/* The processes that the row at IDS means, seen from P. */
static void members(const shlo_process *p, group_mode mode, const int64_t *ids, uint32_t n,
                    shlo_group *out)
{
    const uint32_t m = p->n_partitions;
    const uint32_t turns = mode == OF_BOTH ? m : 1;
    for (uint32_t turn = 0; turn < turns; turn++)
        for (uint32_t i = 0; i < n; i++) {
            if (ids[i] < 0)
                continue;
            const uint32_t id = (uint32_t)ids[i];
            put(out, mode == OF_REPLICAS     ? id * m + p->partition
                     : mode == OF_PARTITIONS ? p->replica * m + id
                     : mode == OF_BOTH       ? id * m + turn
                                             : id);
        }
}

bool shlo_group_of(shlo_call *c, shlo_group *out)
{
    const shlo_process *p = c->r->process;
    group_mode mode;
    group_table *t = ARENA_NEW(&c->r->memory, group_table);
    out->n = 0;
    if (!t)
        return shlo_no_memory(c->r);
    if (!mode_of(c, &mode) || !read_table(c, range_of(p, mode), t))
        return false;
    const int64_t own = mode == OF_PARTITIONS ? p->partition
                        : mode == OF_ALL      ? (int64_t)p->replica * p->n_partitions + p->partition
                                              : p->replica;
    bool is_in[SHLO_MOST_PROCESSES] = {false};
    for (uint32_t row = 0; row < t->rows; row++) {
        const int64_t *ids = t->at + row * t->columns;
        bool is_own = false;
        for (uint32_t i = 0; i < t->columns; i++) {
            if (ids[i] < -1 || ids[i] >= range_of(p, mode))
                return shlo_refuse(c, DIAG_InvalidAttribute,
                                   "its groups name %" PRId64 ", and there are %u", ids[i],
                                   (unsigned)range_of(p, mode));
            if (ids[i] >= 0 && is_in[ids[i]])
                return shlo_refuse(c, DIAG_InvalidAttribute, "its groups name %" PRId64 " twice",
                                   ids[i]);
            if (ids[i] >= 0)
                is_in[ids[i]] = true;
            is_own = is_own || ids[i] == own;
        }
        if (is_own && out->n == 0)
            members(p, mode, ids, t->columns, out);
    }
    return true;
}
