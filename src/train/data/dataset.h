/* Samples along the first axis of tensors in files. */
#ifndef TRAIN_DATASET_H
#define TRAIN_DATASET_H

#include "base/context/context.h"
#include "tenon/files.h"
#include "tenon/train.h"

/* Consecutive samples of a column, in one file. */
typedef struct shard {
    uint64_t first, n; /* samples */
    const char *rows;  /* in memory; NULL: in the file */
    int fd;            /* where they begin in it */
    uint64_t at;
} shard;

typedef struct column {
    const char *name;
    tn_type type;     /* of all samples together */
    uint64_t row;     /* bytes of a sample */
    uint64_t samples; /* so far */
    VECTOR(shard) shards;
} column;

struct tn_dataset {
    context *cx;
    arena memory;
    VECTOR(column) columns;
    VECTOR(tn_tensor_file *) files;
};

/* Why samples were not read: found on any thread, reported on that of the context. */
typedef enum dataset_why {
    DATASET_READ = 0,
    DATASET_UNREADABLE, /* `reason` is that of errno */
    DATASET_SHORTER,    /* a file became shorter while it was open */
    DATASET_RANGE       /* a number does not fit the type wanted */
} dataset_why;

typedef struct dataset_fault {
    dataset_why why;
    int reason;
    const column *column;
    uint64_t sample;
    tn_dtype wanted;
} dataset_fault;

/* The column NAME, or NULL. */
const column *dataset_column(const tn_dataset *d, const char *name);
/* Can elements of FROM stand for elements of TO, each with its own value? A narrower integer may do
 * so for some values only, which is seen when they are read. */
bool dataset_converts(tn_dtype from, tn_dtype to);
/* Fill DST with the N samples of a column, as elements of TO. ROOM: memory for as many as the file
 * has them, where the types differ. Any thread may call it, several at once. */
bool dataset_read(const column *c, const uint64_t *samples, size_t n, tn_dtype to, void *dst,
                  void *room, dataset_fault *fault);
/* Report FAULT. */
tn_status dataset_report(context *cx, const dataset_fault *fault);

#endif
