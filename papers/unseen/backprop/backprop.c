#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static inline float squash(float x)
{
    return 1 / (1 + expf(-x));
}

void peer(int64_t n, int64_t h, float target, const float *x, const float *w, const float *v,
          const float *momentum, float *restrict new_w, float *restrict new_v, float *error)
{
    float *restrict hidden = calloc(h + 1, sizeof *hidden);
    float *restrict errors = malloc((h + 1) * sizeof *errors);
#pragma omp parallel for reduction(+ : hidden[:h])
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < h; j++)
            hidden[j] += w[i * h + j] * x[i];
    float sum = 0;
    for (int64_t j = 0; j < h; j++) {
        hidden[j] = squash(hidden[j]);
        sum += hidden[j] * v[j];
    }
    float output = squash(sum), e = output * (1 - output) * (target - output);
    for (int64_t j = 0; j < h; j++) {
        errors[j] = hidden[j] * (1 - hidden[j]) * v[j] * e;
        new_v[j] = v[j] + 0.3f * e * hidden[j];
    }
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < h; j++)
            new_w[i * h + j] =
                w[i * h + j] + (0.3f * errors[j] * x[i] + 0.3f * momentum[i * h + j]);
    *error = e;
    free(hidden);
    free(errors);
}
