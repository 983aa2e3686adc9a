#include <math.h>
#include <stdint.h>

void peer(int64_t n, const float *restrict x, int64_t *count, float *least, float *greatest,
          double *mean, double *variance, double *skewness, double *kurtosis)
{
    float low = INFINITY, high = -INFINITY;
    double sum = 0, m2 = 0, m3 = 0, m4 = 0;
#pragma omp parallel for simd schedule(static) \
    reduction(+ : sum) reduction(min : low) reduction(max : high)
    for (int64_t i = 0; i < n; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
        sum += x[i];
    }
    const double middle = sum / n;
#pragma omp parallel for simd schedule(static) reduction(+ : m2, m3, m4)
    for (int64_t i = 0; i < n; i++) {
        const double d = x[i] - middle, d2 = d * d;
        m2 += d2;
        m3 += d2 * d;
        m4 += d2 * d2;
    }
    const double v = m2 / n;
    *count = n, *least = low, *greatest = high, *mean = middle, *variance = v;
    *skewness = m3 / n / (v * sqrt(v));
    *kurtosis = m4 / n / (v * v);
}
