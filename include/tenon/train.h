/* The parts of training whose results do not depend on who computes what: the sum of gradients, the
 * order of samples, the seeds of random generators, the programs of optimizers.
 *
 * A step takes the gradient of a batch. The batch is cut into leaves of equally many samples; each
 * leaf is one run of the gradient program, and one fixed tree adds the gradients of the leaves.
 * What a step computes follows from the program, the data, the seed, the batch and the number of
 * leaves, bit by bit, however many threads or processes share the work. */
#ifndef TENON_TRAIN_H
#define TENON_TRAIN_H

#include "tenon/tenon.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sums ---- */

/* The elementwise sum of N_LEAVES tensors of N elements: one leaf is its own sum; else that of the
 * first 2^k leaves, with the largest 2^k below N_LEAVES, plus that of the others. Floats narrower
 * than f32 are added in f32, and each sum is rounded to DTYPE; integers wrap around.
 *
 * leaves   N_LEAVES addresses of N elements, at least one, aligned for DTYPE
 * sum      N elements; may be one of the leaves, else overlaps none
 * returns  TN_ERR_USAGE without leaves, or for i1, a 4-bit or a complex type
 * threads  any number at once */
TN_API tn_status tn_reduce_tree(tn_dtype dtype, const void *const *leaves, size_t n_leaves,
                                size_t n, void *sum);

/* ---- order and seeds ---- */

/* Which of N samples stands at POSITION, below N, of the epoch EPOCH: a permutation that SEED and
 * EPOCH choose. Needs no table, so that a run may begin anywhere. 0 when POSITION is not below N.
 */
TN_API uint64_t tn_sample_order(uint64_t seed, uint64_t epoch, uint64_t n, uint64_t position);
/* The seed of the random generators in leaf LEAF of step STEP. */
TN_API uint64_t tn_leaf_seed(uint64_t seed, uint64_t step, uint64_t leaf);

/* ---- learning rates ---- */

/* How the rate of step I, from 0, of N follows from the RATE that was asked for. */
typedef enum tn_schedule {
    TN_SCHEDULE_CONSTANT = 0,
    TN_SCHEDULE_COSINE, /* rate * (1 + cos(pi i / n)) / 2 */
    TN_SCHEDULE_STEP    /* rate / 10 from step n / 2 on, rate / 100 from step 3 n / 4 on */
} tn_schedule;

/* The rate of step I of N. During the first WARMUP steps it is multiplied by (i + 1) / warmup. The
 * result is the same on every machine. */
TN_API double tn_schedule_rate(tn_schedule schedule, double rate, uint64_t i, uint64_t n,
                               uint64_t warmup);

/* ---- optimizers ---- */

/* A setting of tn_optimizer that is 0: without the sign it stands for the usual value. */
#define TN_OPTIMIZER_ZERO (-0.0)

typedef struct tn_optimizer {
    size_t size;         /* of the structure; 0: its first layout */
    const char *name;    /* "sgd", "momentum", "adam" or "adamw"; NULL: "adam" */
    double weight_decay; /* adamw: w is first multiplied by 1 - rate * decay; the others: decay * w
                            is added to the gradient */
    double momentum;     /* of momentum; 0: 0.9 */
    double beta1, beta2; /* of adam and adamw; 0: 0.9, 0.999 */
    double epsilon;      /* of the same; 0: 1e-8 */
} tn_optimizer;

/* Make the program of one step of an optimizer: how weights change. It is an ordinary module of the
 * dialect ptir, to be printed, changed and read again. Tensors of any shape are passed as vectors
 * of n elements. Its inputs are found by their names:
 *
 *     weight    [n], of DTYPE
 *     gradient  [n], as are all below of DTYPE, or f32 for narrower floats
 *     rate      [], the learning rate
 *     step      [], the number of the step, from 1
 *     others    [n] or [], state: 0 before the first step
 *
 * Its outputs are the new weight and the new state, in the order of those inputs. `rate` and `step`
 * may be missing. Random generators give other numbers in each step and for each weight.
 *
 * options  NULL: all defaults
 * update   owned by the caller: tn_module_free; NULL on failure
 * returns  TN_ERR_USAGE  no such optimizer, a setting out of its range or that it does not use, or
 *                        DTYPE is no float
 *          TN_ERR_NOMEM
 * source   Kingma and Ba, 2015 (adam); Loshchilov and Hutter, 2019 (adamw) */
TN_API tn_status tn_optimizer_program(tn_context *cx, const tn_optimizer *options, tn_dtype dtype,
                                      tn_module **update);

/* ---- data ---- */

/* Samples along the first axis of tensors in files. */
typedef struct tn_dataset tn_dataset;

/* Open N paths: .npz and .safetensors files, whose tensors have names; .npy files, whose tensor is
 * called as the file is without its extension, or NAME for a path NAME=PATH; folders of such files,
 * in the order of their names. A tensor that comes again continues the one before. .npy and
 * .safetensors files are read sample by sample when these are needed, others at once.
 *
 * data     owned by the caller: tn_dataset_close, before the context is freed
 * returns  TN_ERR_IO, also when a tensor is continued with another type or shape; TN_ERR_NOMEM */
TN_API tn_status tn_dataset_open(tn_context *cx, const char *const *paths, size_t n,
                                 tn_dataset **data);
/* Close DATA, which may be NULL. No trainer may use it any more. */
TN_API void tn_dataset_close(tn_dataset *data);
/* Tensor INDEX: its name, borrowed, and its type with all samples. False past the last. */
TN_API bool tn_dataset_at(const tn_dataset *data, size_t index, tn_port *port);

/* ---- ranks ---- */

/* What a rank gives to another, and takes from it. */
typedef struct tn_message {
    const void *send;
    size_t send_bytes;
    void *receive;
    size_t receive_bytes;
} tn_message;

/* How the ranks of one training, which may be threads, processes or machines, pass bytes. */
typedef struct tn_transport {
    size_t size;          /* of the structure; 0: its first layout */
    uint32_t rank, ranks; /* this one, and how many there are */
    /* Pass the bytes of MESSAGES, one for each rank; that of this rank is empty. Both sides agree
     * on the numbers of bytes. All ranks call it as often; it returns when its bytes have been sent
     * and received. NULL, or what is wrong, in a text that outlives the training. */
    const char *(*exchange)(void *user, const tn_message *messages);
    /* This rank gives up: calls of `exchange` in the others return an error from now on. */
    void (*leave)(void *user);
    void *user;
    bool concurrent; /* `exchange` may be called on a thread of the library, while the others
                        compute, but one call at a time; and `leave` during one. Then gradients
                        travel while others are computed */
} tn_transport;

/* Ranks that are threads of one process. */
typedef struct tn_rank_group tn_rank_group;
/* A group of RANKS threads, at least one. NULL: no memory. */
TN_API tn_rank_group *tn_rank_group_new(uint32_t ranks);
/* Free GROUP, which may be NULL; no rank may use it any more. */
TN_API void tn_rank_group_free(tn_rank_group *group);
/* The transport of rank RANK, for one thread. False when there is no such rank. */
TN_API bool tn_rank_group_transport(tn_rank_group *group, uint32_t rank, tn_transport *transport);

/* The transport of a process that mpirun or srun has started as one of several, through the module
 * for OpenMPI or MPICH that the environment tells of: $OMPI_COMM_WORLD_SIZE, $PMI_SIZE, or
 * $SLURM_STEP_NUM_TASKS beside $PMIX_RANK says how many there are. The ranks watch each other, in a
 * thread: when one has been silent for 20 seconds, all processes end with status 3. The module is
 * the file $TENON_MPI_PLUGIN, else libtenon-mpi-openmpi.so or libtenon-mpi-mpich.so beside the
 * library or the program, or in the folder tenon there or in its library folder. MPI is started,
 * for good.
 *
 * found    false, and nothing happens, in a process that stands alone
 * returns  TN_ERR_UNAVAILABLE when there is no such module, or MPI does not start
 * threads  the calling one is that of the training; once in a process */
TN_API tn_status tn_mpi_transport(tn_context *cx, tn_transport *transport, bool *found);
/* End MPI, at the end of a program that had its transport and was not given up. */
TN_API void tn_mpi_end(const tn_transport *transport);

/* How many processes there are, by the same variables: 1 in one that stands alone. */
TN_API uint32_t tn_mpi_ranks(void);

/* ---- programs of several devices ---- */

/* Make known to CX what StableHLO programs call that were read for several processes
 * (tn_read_options.processes): each process is a rank of TRANSPORT, in the order of their numbers.
 * All of them run the same program as often, one run at a time, and all operations of a loop as
 * often. A sum is that of the members of a group in their order, whatever comes first.
 *
 * transport  must outlive CX and the programs that are compiled in it
 * returns    TN_ERR_USAGE with more than 64 ranks; as tn_context_register_custom
 * threads    as tn_context_register_custom */
TN_API tn_status tn_context_register_exchange(tn_context *cx, const tn_transport *transport);

/* ---- training ---- */

typedef struct tn_train_options {
    size_t size;      /* of the structure; 0: its first layout */
    const char *loss; /* the output to make small, one float: the mean over the samples of a run; by
                         position or else name; NULL: the first */
    const char *const *wrt; /* the inputs that are trained, the weights: at least one. What no input
                               is called by stands for constants of floats, such as initializers of
                               ONNX, which become inputs and begin with what they were. A name
                               also stands for all inputs NAME.X of a structure */
    size_t n_wrt;
    uint64_t batch;       /* samples of a step; 0: as many as the program takes, times the leaves */
    uint64_t leaves;      /* a power of two that divides `batch`; 0: at most 16, or what the program
                             leaves open */
    uint64_t seed;        /* of the first weights, the order of samples, random generators */
    uint64_t steps;       /* of the whole training, for the schedule; 0: as `epochs` says */
    uint64_t epochs;      /* the same, in passes over the data; 0: 1; not both */
    tn_schedule schedule; /* of the learning rate */
    uint64_t warmup;      /* as tn_schedule_rate */
    double rate;          /* 0: 0.001 */
    const tn_optimizer *optimizer; /* NULL: all defaults */
    const tn_module *update; /* a program to take instead, as tn_optimizer_program describes it */
    double clip_norm; /* gradients with a larger norm, all together, are scaled to it; 0: none */
    bool skip; /* a step whose loss or gradient is not finite changes nothing but counts; else
                  it is an error */
    const char *init; /* a file of tensors for weights and for other inputs that are no data, by
                         name. Weights that it lacks are 0 with a rank below 2, else uniform in
                         +-sqrt(6 / k) where k is the product of all extents but the last (He et
                         al., 2015). NULL: none */
    const tn_compile_options *compile; /* of all programs, with bindings for PROGRAM; what it points
                                          to is borrowed until the trainer is freed. NULL: all
                                          zero */
    const tn_transport *transport; /* copied; NULL: one rank. Each rank has a context, a program,
                                      data and a trainer of its own, all alike, and calls
                                      tn_trainer_step and tn_trainer_save as often as the others */
    uint64_t step_timeout_ns; /* of wall-clock time: a step that computes for longer fails, such as
                                 one whose loops do not end; 0: no limit */
    uint64_t message_bytes;   /* of gradients that travel together between ranks, at least; 0: 8 MiB
                                 and an eighth of all. Never changes a result */
} tn_train_options;

typedef struct tn_trainer tn_trainer;

/* What one step did. */
typedef struct tn_train_step {
    size_t size;          /* of the structure; 0: its first layout */
    uint64_t step, epoch; /* from 0 */
    double loss;          /* the mean of the leaves' */
    double norm;          /* of the gradient, before it was clipped */
    double rate;
    bool skipped; /* nothing was changed, see `skip` */
} tn_train_step;

/* Prepare the training of PROGRAM on DATA. Inputs that are not in `wrt` get what DATA has by their
 * name; those without any must be in `init`. The first axis of data inputs is that of the samples:
 * batch / leaves of them in each run. Numbers are converted where no value changes.
 *
 * program  copied
 * data     borrowed until the trainer is freed; of any context
 * trainer  owned by the caller: tn_trainer_free, before the context is freed
 * returns  TN_ERR_USAGE     a setting is out of its range, or does not suit the program
 *          TN_ERR_INPUT     data or weights are missing or do not fit, or are too few for a batch
 *          TN_ERR_REJECTED  the program cannot be differentiated, or `update` is no such program
 *          TN_ERR_IO        `init` cannot be read
 *          TN_ERR_NOMEM
 * threads  one at a time for each context; a thread of the library reads ahead */
TN_API tn_status tn_trainer_new(tn_context *cx, const tn_module *program, tn_dataset *data,
                                const tn_train_options *options, tn_trainer **trainer);
TN_API void tn_trainer_free(tn_trainer *t); /* NULL is fine */

/* What the trainer made of its options. */
typedef struct tn_trainer_info {
    size_t size; /* of the structure; 0: its first layout */
    uint64_t batch, leaves, samples;
    uint64_t epoch; /* steps in one */
    uint64_t steps; /* of the whole training */
    uint64_t step;  /* done so far */
} tn_trainer_info;
/* Fill INFO, whose size is set. returns TN_ERR_USAGE for a size below that of the first layout */
TN_API tn_status tn_trainer_get_info(const tn_trainer *t, tn_trainer_info *info);

/* Do one step.
 *
 * done     its size is set
 * returns  TN_ERR_RUN, also for a loss or gradient that is not finite, unless `skip` is set, and
 *          when `step_timeout_ns` have passed
 *          TN_ERR_IO or TN_ERR_INPUT when data cannot be read
 *          TN_ERR_UNAVAILABLE when another rank gave up or was lost, or a message was damaged
 *          TN_ERR_NOMEM
 *
 * After a failure the weights are those before the step, unless it came while they were changed: an
 * update program failed, memory ran out, or a rank was lost then. Go on from a checkpoint. */
TN_API tn_status tn_trainer_step(tn_trainer *t, tn_train_step *done);

/* The weights, in the order of `wrt`: names and data are borrowed, and change with each step. False
 * past the last. */
TN_API bool tn_trainer_weight(const tn_trainer *t, size_t index, const char **name,
                              tn_buffer *weight);
/* Write the weights to PATH, a .safetensors, .npz or .npy file that appears whole. returns
 * TN_ERR_IO; TN_ERR_USAGE for several weights in an .npy */
TN_API tn_status tn_trainer_write(const tn_trainer *t, const char *path);
/* The SHA-256, in hexadecimal, of the weights as a .safetensors file. */
TN_API tn_status tn_trainer_digest(const tn_trainer *t, char digest[65]);

/* ---- validation ---- */

typedef struct tn_validation {
    size_t size;        /* of the structure; 0: its first layout */
    const char *scores; /* an output [samples, classes], by name or position; NULL: none */
    const char *labels; /* the data input with the classes, as integers [samples] or as rows with
                           their largest element there; NULL: the only one that can be */
    uint64_t samples;   /* out: all that were looked at */
    uint64_t right;     /* out: whose first largest score is at their label */
    double loss;        /* out: the mean */
    bool only_check;    /* look at names, types and numbers of samples; nothing is run or counted */
} tn_validation;

/* Run the program on all of DATA, in its order, with the weights as they are.
 *
 * data     as for tn_trainer_new. Samples that a program of fixed extents leaves over are left out
 * returns  TN_ERR_USAGE  no such output or input, or they are not of those types
 *          else as tn_trainer_step */
TN_API tn_status tn_trainer_validate(tn_trainer *t, const tn_dataset *data, tn_validation *v);

/* ---- checkpoints ---- */

/* Write weights, state and step to FOLDER, which is made if missing, as step-N.safetensors and
 * step-N.json, which names and describes it. Each appears whole and is on the disk when this
 * returns, the description last. Then checkpoints other than the newest KEEP are removed (0: none).
 * With several ranks, rank 0 writes them. A folder is for one training, since "newest" is the
 * highest step: one that holds checkpoints must be that in which T has saved before, or from which
 * it has resumed.
 * returns  TN_ERR_USAGE  FOLDER holds checkpoints of another training; nothing is written
 *          TN_ERR_IO; TN_ERR_NOMEM; TN_ERR_UNAVAILABLE as tn_trainer_step */
TN_API tn_status tn_trainer_save(const tn_trainer *t, const char *folder, uint64_t keep);
/* What tn_trainer_save would say now of a FOLDER that another training uses. With several ranks,
 * rank 0 asks. */
TN_API tn_status tn_trainer_check_folder(const tn_trainer *t, const char *folder);
/* Go on from the newest checkpoint in FOLDER: what follows has the bits of a training that was
 * never stopped.
 *
 * found    false when there is none, or no FOLDER; nothing changes then
 * returns  TN_ERR_IO     a file is damaged; the trainer may only be freed then
 *          TN_ERR_INPUT  it is of another training: other weights, data, batch, leaves, seed,
 *                        update, learning rate, schedule (with its steps, unless it is constant),
 *                        warm-up or norm of clipping, of which the first is named
 *          TN_ERR_NOMEM */
TN_API tn_status tn_trainer_resume(tn_trainer *t, const char *folder, bool *found);

#ifdef __cplusplus
}
#endif
#endif
