#include <stdlib.h>
static void scaled(int *n, int **offsets, int **out, int length, const int *at, const int *xs, int k)
{
    const int count = at[length];
    *n = length;
    *offsets = malloc((length + 1) * sizeof **offsets);
    *out = malloc(count * sizeof **out + 1);
    for (int i = 0; i <= length; i++)
        (*offsets)[i] = at[i];
    for (int i = 0; i < count; i++)
        (*out)[i] = k * xs[i];
}
static void counted(int *out, int length, const int *at, const tuple_int_bool *xs)
{
    *out = 0;
    for (int i = 0; i < at[length]; i++)
        *out += xs[i]._1 && xs[i]._0 != 7;
}
