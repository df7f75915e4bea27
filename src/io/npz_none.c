/* What stands for .npz in a build without libzip: archives are refused. */
#include "io/members.h"
#include "io/npz_writer.h"

static tn_status refuse(context *cx, const char *name)
{
    return io_error(cx, name,
                    "is an .npz archive, and this build of tenon has no libzip; .npy and "
                    ".safetensors files work");
}

tn_status npz_list(context *cx, archive *a)
{
    return refuse(cx, a->in.name);
}

/* Never called: no archive of this kind was opened. */
tn_status npz_load(context *cx, archive *a, const archive_member *m, bool with_data, array *out)
{
    (void)m;
    (void)with_data;
    (void)out;
    return refuse(cx, a->in.name);
}

void npz_end(archive *a)
{
    (void)a;
}

tn_status npz_writer_open(context *cx, output_set *set, const char *path, bool deflate,
                          npz_writer **out)
{
    (void)set;
    (void)deflate;
    *out = NULL;
    return refuse(cx, path);
}

tn_status npz_writer_add(context *cx, npz_writer *w, const char *name, const array *a)
{
    (void)w;
    (void)a;
    return refuse(cx, name);
}

tn_status npz_writer_close(context *cx, npz_writer *w)
{
    (void)cx;
    (void)w;
    return TN_OK;
}

void npz_writer_discard(context *cx, npz_writer *w)
{
    (void)cx;
    (void)w;
}
