/* Diagnostics own their texts: what they are about may be gone when they are delivered. */
#include "base/context/diag.h"

#include "base/context/shorten.h"
#include "base/text/utf8.h"
#include "check.h"

typedef struct heard {
    unsigned n;
    char message[64], file[64], line[64], note[64], note_file[64];
} heard;

static void copy(char to[64], const char *text, size_t length)
{
    (void)snprintf(to, 64, "%.*s", (int)length, text ? text : "");
}

static void hear(void *user, const tn_diagnostic *d)
{
    heard *h = user;
    h->n++;
    copy(h->message, d->message, strlen(d->message));
    copy(h->file, d->place.file, strlen(d->place.file));
    copy(h->line, d->source_line, d->source_line_length);
    if (d->n_notes) {
        copy(h->note, d->notes[0].message, strlen(d->notes[0].message));
        copy(h->note_file, d->notes[0].place.file, strlen(d->notes[0].place.file));
    }
}

static void test_source_is_gone(void)
{
    heard h = {0};
    diag_channel d;
    char name[] = "a.ir", text[] = "first\nsecond\n";
    source src = {.name = name, .text = text, .length = sizeof text - 1};
    diag_init(&d, &memory_system, (tn_diagnostic_sink){hear, &h});
    diag_warn(&d, DIAG_Advice, &src, (span){6, 3}, "look");
    diag_note(&d, &src, (span){0, 5}, "and here");
    memset(name, 'x', sizeof name - 1);
    memset(text, 'x', sizeof text - 1);
    diag_release(&d);
    CHECK_INT(h.n, 1);
    CHECK_TEXT(h.file, "a.ir");
    CHECK_TEXT(h.line, "second");
    CHECK_TEXT(h.note_file, "a.ir");
}

/* Messages name settings as the headers do, or as the caller says. */
static void test_setting_names(void)
{
    static const tn_setting_name names[] = {{"entry", "--entry"}, {"limit", "--limit"}};
    heard h = {0};
    diag_channel d;
    diag_init(&d, &memory_system, (tn_diagnostic_sink){hear, &h});
    CHECK_TEXT(diag_setting_name(&d, SETTING_LIMIT), "limit");
    diag_refuse_unless(&d, DIAG_LimitExceeded, "too large", SETTING_LIMIT, "nodes=N permits more");
    CHECK_INT(diag_no_memory(&d), TN_ERR_REJECTED);
    diag_flush(&d);
    CHECK_TEXT(h.message, "too large; limit nodes=N permits more");
    d.names = names;
    d.n_names = 2;
    CHECK_TEXT(diag_setting_name(&d, SETTING_LIMIT), "--limit");
    CHECK_TEXT(diag_setting_name(&d, SETTING_BINDINGS), "bindings");
    diag_refuse_unless(&d, DIAG_LimitExceeded, "too large", SETTING_LIMIT, "nodes=N permits more");
    (void)diag_no_memory(&d);
    diag_refuse(&d, DIAG_Timeout, "too late");
    (void)diag_no_memory(&d);
    CHECK_TEXT(h.message, "too large; --limit nodes=N permits more");
    diag_release(&d);
    CHECK_TEXT(h.message, "too late");
}

/* Of a long line only what lies around the place goes with the report. */
static void hear_long(void *user, const tn_diagnostic *d)
{
    static const char place[] = "here";
    const size_t before = d->place.column - d->source_line_column;
    CHECK(d->source_line_length <= SOURCE_LINE_BEFORE + SOURCE_LINE_BEHIND);
    CHECK(memcmp(d->source_line + before, place, sizeof place - 1) == 0);
    CHECK_INT(d->place.column, 50001);
    ++*(unsigned *)user;
}

static void test_long_line(void)
{
    enum { AT = 50000, LENGTH = 100000 };
    static char text[LENGTH];
    unsigned n = 0;
    memset(text, '.', LENGTH);
    memcpy(text + AT, "here", 4);
    const source src = {.name = "a.ir", .text = text, .length = LENGTH, .number = 1};
    diag_channel d;
    diag_init(&d, &memory_system, (tn_diagnostic_sink){hear_long, &n});
    diag_warn(&d, DIAG_Advice, &src, (span){AT, 4}, "look");
    diag_warn(&d, DIAG_Advice, &src, (span){AT, 4}, "look again");
    diag_release(&d);
    CHECK_INT(n, 2);
}

/* A report may quote what was written into the channel's arena for it, while another is open. */
static void test_arguments_in_the_channel(void)
{
    heard h = {0};
    diag_channel d;
    diag_init(&d, &memory_system, (tn_diagnostic_sink){hear, &h});
    (void)diag_report(&d, DIAG_Usage, NULL, NO_SPAN, "one");
    const char *shape = arena_printf(&d.text, "[%d, %d]", 2, 3);
    (void)diag_report(&d, DIAG_Usage, NULL, NO_SPAN, "two times %s and %s", shape, shape);
    CHECK_TEXT(h.message, "one");
    diag_flush(&d);
    CHECK_TEXT(h.message, "two times [2, 3] and [2, 3]");
    CHECK_INT(h.n, 2);
    diag_release(&d);
}

/* What a file says in a million bytes is repeated without its middle. */
typedef struct long_report {
    size_t message, node, note, fix, replacement;
    char text[SHORTEN_TEXT + 1];
} long_report;

static void hear_lengths(void *user, const tn_diagnostic *d)
{
    long_report *r = user;
    *r = (long_report){strlen(d->message),          strlen(d->node),
                       strlen(d->notes[0].message), strlen(d->fix.title),
                       strlen(d->fix.replacement),  ""};
    (void)snprintf(r->text, sizeof r->text, "%s", d->message);
}

static void test_long_names(void)
{
    enum { LENGTH = 1000000 };
    static char name[LENGTH + 1], words[LENGTH + 1];
    static long_report r;
    diag_channel d;
    for (size_t i = 0; i < LENGTH; i++) {
        name[i] = "\xc3\xa9"[i % 2]; /* e with an accent */
        words[i] = i % 5 == 4 ? ' ' : 'w';
    }
    diag_init(&d, &memory_system, (tn_diagnostic_sink){hear_lengths, &r});
    (void)diag_report(&d, DIAG_Usage, NULL, NO_SPAN, "'%s' is not '%s'", name, name);
    diag_node(&d, name);
    diag_note(&d, NULL, NO_SPAN, "%s", words);
    diag_fix(&d, NO_SPAN, name, "write '%s'", name);
    diag_flush(&d);
    CHECK(r.message < 1000 && r.node < SHORTEN_WORD && r.note < SHORTEN_TEXT && r.fix < 500);
    CHECK_INT(r.replacement, LENGTH);
    CHECK_INT(utf8_invalid_at(r.text, r.message), r.message);
    CHECK(strstr(r.text, "[999704 bytes left out]") != NULL);
    CHECK(strstr(r.text, "' is not '") != NULL);
    (void)diag_report(&d, DIAG_Usage, NULL, NO_SPAN, "%.*s", SHORTEN_WORD, name);
    diag_note(&d, NULL, NO_SPAN, "-");
    diag_fix(&d, NO_SPAN, "", "-");
    diag_flush(&d);
    CHECK_INT(r.message, SHORTEN_WORD); /* just not too long */
    diag_release(&d);
}

int main(void)
{
    test_long_names();
    test_source_is_gone();
    test_setting_names();
    test_arguments_in_the_channel();
    test_long_line();
    return check_result();
}
