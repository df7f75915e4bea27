/* tenon cache: the compiled kernels that are kept between runs. */
#include <inttypes.h>
#include <string.h>

#include "cli/session/cli.h"

enum { OPTION_CLEAR = OPTION_OWN, OPTION_JSON };

static double mebibytes(uint64_t bytes)
{
    return (double)bytes / (1 << 20);
}

static void put_text(cli_text *out, const tn_cache_state *state, bool is_cleared)
{
    if (!state->is_used) {
        cli_printf(out, "not used: %s\n",
                   state->is_off      ? "it is off"
                   : state->folder[0] ? "its folder cannot be used"
                                      : "neither TENON_CACHE_DIR nor HOME says where it is");
        if (state->folder[0])
            cli_printf(out, "folder   %s\n", state->folder);
        return;
    }
    cli_printf(out, "folder   %s\n", state->folder);
    cli_printf(out, "%s  %" PRIu64 "\n", is_cleared ? "removed" : "kernels", state->files);
    cli_printf(out, "size     %.1f MiB of at most %.1f MiB\n", mebibytes(state->bytes),
               mebibytes(state->limit));
}

static void put_json(cli_text *out, const tn_cache_state *state)
{
    cli_puts(out, "{\"folder\":");
    if (state->folder[0])
        cli_put_json(out, state->folder, strlen(state->folder));
    else
        cli_puts(out, "null");
    cli_printf(
        out, ",\"used\":%s,\"kernels\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"limit\":%" PRIu64 "}\n",
        state->is_used ? "true" : "false", state->files, state->bytes, state->limit);
}

static tn_status run_cache(session *s, const arguments *args)
{
    cli_text out = {0};
    tn_cache_state state = {.size = sizeof state};
    bool clears = false, is_json = false;
    if (args->n_files)
        return usage_error(s, "'cache' takes no file");
    for (int i = 0; i < args->n_options; i++) {
        clears = clears || args->options[i].id == OPTION_CLEAR;
        is_json = is_json || args->options[i].id == OPTION_JSON;
    }
    tn_status status = (clears ? tn_cache_clear : tn_cache_get_state)(s->cx, NULL, &state);
    if (status == TN_OK) {
        if (is_json)
            put_json(&out, &state);
        else
            put_text(&out, &state, clears);
        status = output_text(s, NULL, &out);
    }
    if (status == TN_OK && !state.is_used && !state.is_off && state.folder[0])
        status = file_error(s,
                            "'%s' cannot be used as a cache: it cannot be made or read, belongs "
                            "to somebody else, or may be written by others",
                            state.folder);
    cli_text_release(&out);
    return status;
}

static const option options[] = {
    {OPTION_CLEAR, "--clear", NULL, "remove them all, and say what there was"},
    {OPTION_JSON, "--json", NULL, "as JSON, for scripts"},
    {0},
};

const command command_cache = {"cache",
                               "[--clear] [--json]",
                               "show or clear what is kept of compiled kernels",
                               options,
                               run_cache,
                               false};
