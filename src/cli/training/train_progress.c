/* How a training goes: on standard error, and as lines of JSON. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/training/train.h"

/* ---- the log ---- */

/* Open the log; negative with errno set. A pipe waits for who reads it, but no longer than
 * --timeout, and its writes may wait. */
static int log_descriptor(const session *s, const train_options *o)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_APPEND | O_NONBLOCK;
    for (;;) {
        const int fd = open(o->log, flags | (o->resume ? 0 : O_TRUNC), 0666);
        struct stat info;
        if (fd >= 0)
            (void)fcntl(fd, F_SETFL, O_APPEND);
        if (fd >= 0 || errno != ENXIO || stat(o->log, &info) != 0 || !S_ISFIFO(info.st_mode))
            return fd;
        if (s->deadline && time_now() >= s->deadline) {
            errno = ETIMEDOUT;
            return -1;
        }
        (void)nanosleep(&pause, NULL);
    }
}

static tn_status open_log(session *s, const train_options *o, progress *p)
{
    p->path = o->log;
    if (!o->log)
        return TN_OK;
    p->log = log_descriptor(s, o);
    if (p->log < 0 && errno == ETIMEDOUT)
        return report_error(s, TN_ERR_RUN, "Timeout", "%s: nobody reads this pipe", o->log);
    return p->log >= 0 ? TN_OK
                       : file_error(s, "%s: cannot be written: %s", o->log, strerror(errno));
}

/* JSON has no word for what is not finite. */
static void put_number(cli_text *t, const char *name, double x)
{
    cli_printf(t, ",\"%s\":", name);
    if (isfinite(x))
        cli_printf(t, "%.17g", x);
    else
        cli_puts(t, "null");
}

/* Add a line, whole, and free it. */
static tn_status write_line(progress *p, cli_text *line)
{
    cli_puts(line, "}\n");
    tn_status status = line->failed ? no_memory(p->s) : TN_OK;
    if (status == TN_OK && !output_bytes(p->s, p->log, line->at, line->n))
        status = errno == ETIME
                     ? output_timeout(p->s)
                     : file_error(p->s, "%s: cannot be written: %s", p->path, strerror(errno));
    cli_text_release(line);
    return status;
}

static tn_status log_step(progress *p, const tn_train_step *done)
{
    cli_text line = {0};
    if (p->log < 0)
        return TN_OK;
    cli_printf(&line, "{\"step\":%llu,\"epoch\":%llu", (unsigned long long)done->step + 1,
               (unsigned long long)done->epoch);
    put_number(&line, "loss", done->loss);
    put_number(&line, "norm", done->norm);
    put_number(&line, "rate", done->rate);
    put_number(&line, "seconds", (double)(time_now() - p->begin) * 1e-9);
    if (done->skipped)
        cli_puts(&line, ",\"skipped\":true");
    return write_line(p, &line);
}

/* ---- the terminal ---- */

static double rate_of(const progress *p, uint64_t step)
{
    const double seconds = (double)(time_now() - p->begin) * 1e-9;
    return seconds > 0 ? (double)(step - p->first) / seconds : 0;
}

static void end_line(progress *p)
{
    if (p->is_open)
        output_error_text(p->s, "\n", 1);
    p->is_open = false;
}

static void show_step(progress *p, const tn_train_step *done)
{
    char text[160];
    const uint64_t step = done->step + 1;
    const double rate = rate_of(p, step), left = rate > 0 ? (double)(p->steps - step) / rate : 0;
    const int n =
        snprintf(text, sizeof text, "%sstep %llu of %llu, loss %.4f%s", p->is_terminal ? "\r" : "",
                 (unsigned long long)step, (unsigned long long)p->steps, done->loss,
                 done->skipped ? ", skipped" : "");
    if (p->is_terminal && n > 0 && (size_t)n < sizeof text)
        (void)snprintf(text + n, sizeof text - (size_t)n, ", %.0f samples/s, %.0f:%02d left\033[K",
                       rate * (double)p->batch, floor(left / 60), (int)fmod(left, 60));
    output_error_text(p->s, text, strlen(text));
    p->is_open = true;
    if (!p->is_terminal)
        end_line(p);
}

tn_status progress_begin(session *s, const train_options *o, const tn_trainer *t, bool is_first,
                         progress *p)
{
    tn_trainer_info info = {.size = sizeof info};
    *p = (progress){
        .s = s, .log = -1, .is_quiet = !is_first, .is_terminal = isatty(STDERR_FILENO) == 1};
    TN_TRY(tn_trainer_get_info(t, &info));
    p->steps = info.steps;
    p->batch = info.batch;
    p->first = info.step;
    p->begin = time_now();
    return is_first ? open_log(s, o, p) : TN_OK;
}

/* Steps from one line to the next where it is no terminal. */
static uint64_t steps_of_line(const progress *p)
{
    enum { LINES = 10 };
    return p->steps / LINES + (p->steps % LINES != 0);
}

tn_status progress_step(progress *p, const tn_train_step *done)
{
    const uint64_t each = steps_of_line(p), step = done->step + 1;
    if (p->is_quiet)
        return TN_OK;
    if (p->is_terminal || step == p->steps || step % each == 0)
        show_step(p, done);
    return log_step(p, done);
}

static void show_validation(progress *p, uint64_t done, const tn_validation *v)
{
    char text[160];
    int n = snprintf(text, sizeof text, "after step %llu: loss %.4f on %llu sample%s",
                     (unsigned long long)done, v->loss, (unsigned long long)v->samples,
                     cli_plural(v->samples));
    if (v->scores && n > 0 && (size_t)n < sizeof text)
        (void)snprintf(text + n, sizeof text - (size_t)n, ", %.2f %% right",
                       100 * (double)v->right / (double)v->samples);
    end_line(p);
    output_error_text(p->s, text, strlen(text));
    output_error_text(p->s, "\n", 1);
    p->next = done + steps_of_line(p);
}

tn_status progress_validation(progress *p, uint64_t done, const tn_validation *v)
{
    if (p->is_terminal || done >= p->next || done == p->steps)
        show_validation(p, done, v);
    if (p->log < 0)
        return TN_OK;
    cli_text line = {0};
    cli_printf(&line, "{\"step\":%llu", (unsigned long long)done);
    put_number(&line, "validation_loss", v->loss);
    if (v->scores)
        put_number(&line, "accuracy", (double)v->right / (double)v->samples);
    return write_line(p, &line);
}

void progress_end(progress *p)
{
    end_line(p);
    if (p->log >= 0)
        (void)close(p->log);
    p->log = -1;
}
