/* The short way: load a program from a file, run it by the names of its inputs and outputs.
 *
 *     tn_net *net = tn_net_load("net.onnx", NULL, 0);
 *     tn_net_input(net, "x", x, sizeof x);
 *     tn_net_run(net);
 *     const float *y = tn_net_output(net, "y", NULL);
 *     if (!y)
 *         fputs(tn_net_error(net), stderr);
 *     tn_net_free(net);
 *
 * The first failure stays: what is asked of such a net afterwards changes nothing and returns the
 * status of that failure, so one look at the end is enough. Every function takes NULL for a net
 * that there was no memory for. A net belongs to one thread at a time. It is made of what
 * tenon/tenon.h has, which offers more: threads, limits, allocators, several entries. */
#ifndef TENON_EASY_H
#define TENON_EASY_H

#include "tenon/tenon.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_net tn_net;

/* Read and compile the program in the file PATH, of any dialect ("-": standard input). Data that an
 * ONNX model keeps in files beside it is found there (tn_model_files); it is not changed while the
 * net lives.
 *
 * sizes    values for symbolic sizes of the program; N of them. Those without one are taken from
 *          the shapes of inputs at each run
 * returns  owned by the caller: tn_net_free. NULL when there is no memory; any other failure is
 *          told by tn_net_error */
TN_API tn_net *tn_net_load(const char *path, const tn_binding *sizes, size_t n);
/* The same with all that reading and compiling offer: shapes of inputs on which an ONNX model
 * depends, inputs that are known, the data of its files, threads, the CPU to compile for.
 *
 * read     NULL, or borrowed for the call. Without `external` files are those beside the model
 * compile  NULL, or borrowed for the call. Without `bindings` those of READ hold */
TN_API tn_net *tn_net_load_with(const char *path, const tn_read_options *read,
                                const tn_compile_options *compile);
/* Free NET, which may be NULL, and what tn_net_output gave. */
TN_API void tn_net_free(tn_net *net);

/* Let the input NAME (NULL: the only one) be read from DATA in the runs to come.
 *
 * data     dense, row-major, of the element type that the program declares, aligned for it;
 *          borrowed until the last of these runs
 * bytes    of data: exactly those of the declared type
 * returns  TN_ERR_USAGE  there is no such input
 *          TN_ERR_INPUT  another number of bytes, or a size of the input is not known: use
 *                        tn_net_input_shaped */
TN_API tn_status tn_net_input(tn_net *net, const char *name, const void *data, size_t bytes);
/* The same with a shape, for inputs that have symbolic sizes: RANK extents at DIMS. */
TN_API tn_status tn_net_input_shaped(tn_net *net, const char *name, const void *data, size_t bytes,
                                     uint32_t rank, const int64_t *dims);
/* Run the program; every input has been given. Results stay until the next run.
 * returns  as tn_program_run */
TN_API tn_status tn_net_run(tn_net *net);
/* The elements of the output NAME (NULL: the first one) after a run.
 *
 * type_of  NULL, or gets element type and shape
 * returns  dense and row-major, owned by the net until its next run; NULL after any failure, one of
 *          which is that there is no such output */
TN_API const void *tn_net_output(tn_net *net, const char *name, tn_type *type_of);

/* The status of the first failure, or TN_OK. */
TN_API tn_status tn_net_status(const tn_net *net);
/* What the library said about the first failure, with the marked place in the source, each line
 * ended. NULL while nothing failed. The text lives as long as the net. */
TN_API const char *tn_net_error(tn_net *net);
/* Everything the library said, warnings too; "" when that is nothing. */
TN_API const char *tn_net_messages(tn_net *net);

/* The way to everything else: the parts of NET, which keeps them. NULL if loading failed. */
TN_API tn_module *tn_net_module(tn_net *net);
TN_API tn_program *tn_net_program(tn_net *net);

#ifdef __cplusplus
}
#endif
#endif
