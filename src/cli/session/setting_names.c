/* What the settings that messages of the library name are called on the command line. */
#include "cli/session/cli.h"

void name_settings(tn_context *cx)
{
    static const tn_setting_name names[] = {
        {"bindings", "--dim"},
        {"known", "--constant"},
        {"dialect", "--from"},
        {"entry", "--entry"},
        {"results", "--result"},
        {"max_pieces", "--max-pieces"},
        {"limit", "--limit"},
        {"turns", "--turns"},
        {"exact_only", "--exact"},
        {"engine", "--engine"},
        {"tn_trainer_resume", "--resume"},
        {"loss", "'tenon grad --loss'"},
        {"seed", "'tenon grad --seed'"},
        {"batch", "--batch"},
        {"tn_op_at", "'tenon ops'"},
        {"tn_pass_at", "'tenon passes'"},
    };
    tn_context_name_settings(cx, names, sizeof names / sizeof names[0]);
}
