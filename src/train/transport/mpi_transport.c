/* Finding and loading the module for MPI. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/context/context.h"
#include "tenon/train.h"
#include "train/transport/mpi/plugin.h"

enum { PATH_BYTES = 4096 };

/* The module for the MPI that started this process as one of RANKS; NULL when none did. srun starts
 * ranks by PMI, as mpirun of MPICH does, or by PMIx for OpenMPI, which tells the rank alone; the
 * size of the job
 * ($SLURM_NTASKS) is also set where srun started nothing. */
static const char *module_name(uint32_t *ranks)
{
    static const struct {
        const char *size, *needs, *module;
    } starters[] = {{"OMPI_COMM_WORLD_SIZE", NULL, "libtenon-mpi-openmpi.so"},
                    {"PMI_SIZE", NULL, "libtenon-mpi-mpich.so"},
                    {"SLURM_STEP_NUM_TASKS", "PMIX_RANK", "libtenon-mpi-openmpi.so"}};
    for (size_t i = 0; i < sizeof starters / sizeof *starters; i++) {
        const char *size = getenv(starters[i].size);
        if (size && atoi(size) > 1 && (!starters[i].needs || getenv(starters[i].needs))) {
            *ranks = (uint32_t)atoi(size);
            return starters[i].module;
        }
    }
    *ranks = 1;
    return NULL;
}

uint32_t tn_mpi_ranks(void)
{
    uint32_t ranks;
    (void)module_name(&ranks);
    return ranks;
}

/* The folder of this library, or of the program that it is part of. */
static bool own_folder(bool of_program, char out[static PATH_BYTES])
{
    Dl_info info;
    static const char here = 0;
    const ssize_t n = of_program ? readlink("/proc/self/exe", out, PATH_BYTES - 1) : 0;
    if (n < 0)
        return false;
    out[n] = '\0';
    if (!of_program) {
        if (!dladdr(&here, &info) || strlen(info.dli_fname) >= PATH_BYTES)
            return false;
        (void)strcpy(out, info.dli_fname);
    }
    char *slash = strrchr(out, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

static void *open_module(const char *name)
{
    static const char *const below[] = {"", "tenon/", "../", "../" TENON_LIBDIR "/tenon/"};
    enum { N = sizeof below / sizeof *below };
    char folder[PATH_BYTES], path[2 * PATH_BYTES];
    const char *given = getenv("TENON_MPI_PLUGIN");
    if (given && *given)
        return dlopen(given, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
    for (size_t i = 0; i < 2 * (size_t)N; i++) {
        if (!own_folder(i >= N, folder))
            continue;
        (void)snprintf(path, sizeof path, "%s/%s%s", folder, below[i % N], name);
        if (access(path, R_OK) == 0)
            return dlopen(path, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
    }
    return NULL;
}

static const mpi_plugin *load(const char *name)
{
    mpi_plugin_entry *entry = NULL;
    void *module = open_module(name);
    void *symbol = module ? dlsym(module, MPI_PLUGIN_ENTRY) : NULL;
    memcpy(&entry, &symbol, sizeof entry);
    const mpi_plugin *p = entry ? entry() : NULL;
    return p && p->version == MPI_PLUGIN_VERSION ? p : NULL;
}

tn_status tn_mpi_transport(tn_context *cx, tn_transport *transport, bool *found)
{
    uint32_t ranks;
    const char *name = module_name(&ranks);
    *found = false;
    if (!name)
        return TN_OK;
    const mpi_plugin *p = load(name);
    const char *why = p ? p->start(transport) : NULL;
    if (!p || why)
        return context_done(cx, diag_report(&cx->diag, DIAG_BackendUnavailable, NULL, NO_SPAN,
                                            "%s: %s", name,
                                            why ? why : "it is not installed, or cannot be used"));
    *found = true;
    return TN_OK;
}

void tn_mpi_end(const tn_transport *transport)
{
    uint32_t ranks;
    const char *name = module_name(&ranks);
    const mpi_plugin *p = name && transport->ranks > 1 ? load(name) : NULL;
    if (p)
        p->end(transport->user);
}
