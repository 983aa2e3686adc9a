#include <stdlib.h>
static void scaled(int *n, float **out, int length, const float *xs, float a)
{
    *n = length;
    *out = malloc(length * sizeof **out + 1);
    for (int i = 0; i < length; i++)
        (*out)[i] = a * xs[i];
}
static void signs(int *n, tuple_bool_int **out, int length, const tuple_int_int *xs)
{
    *n = length;
    *out = malloc(length * sizeof **out + 1);
    for (int i = 0; i < length; i++) {
        (*out)[i]._0 = xs[i]._0 > 0;
        (*out)[i]._1 = xs[i]._1;
    }
}
static void largest(int *out, int length, const int *xs)
{
    *out = 0;
    for (int i = 0; i < length; i++)
        if (xs[i] > *out)
            *out = xs[i];
}
static void few(int *n, int **out, int k)
{
    *n = k;
    *out = malloc(k * sizeof **out + 1);
    for (int i = 0; i < k; i++)
        (*out)[i] = i + 2;
}
