/* Learning rates. Nothing here calls the mathematical functions of the C library, whose last bits
 * differ between versions. */
#include "tenon/train.h"

/* cos(pi x) for x in [0, 1]: the Taylor series around the nearer zero or end, exact to an ulp or
 * two. */
static double cos_pi(double x)
{
    enum { TERMS = 12 };
    if (x > 0.5)
        return -cos_pi(1 - x);
    const double angle = 3.14159265358979323846 * x, square = angle * angle;
    double sum = 0;
    for (int k = TERMS; k > 0; k--) /* 1 - s / (1 * 2) * (1 - s / (3 * 4) * (1 - ...)) */
        sum = (1 - sum) * square / (double)((2 * k - 1) * (2 * k));
    return 1 - sum;
}

static double shape_of(tn_schedule schedule, uint64_t i, uint64_t n)
{
    const double part = n > 0 && i < n ? (double)i / (double)n : 1;
    switch (schedule) {
    case TN_SCHEDULE_COSINE:
        return (1 + cos_pi(part)) / 2;
    case TN_SCHEDULE_STEP:
        return part < 0.5 ? 1 : part < 0.75 ? 0.1 : 0.01;
    case TN_SCHEDULE_CONSTANT:
        break;
    }
    return 1;
}

double tn_schedule_rate(tn_schedule schedule, double rate, uint64_t i, uint64_t n, uint64_t warmup)
{
    const double all = rate * shape_of(schedule, i, n);
    return i < warmup ? all * ((double)(i + 1) / (double)warmup) : all;
}
