#include <stdlib.h>
/* n, and rows of 1, 2, … n vectors; those of row i have i ones */
static void triangle(tuple_int_vector_vector_vector_int *out, tuple_vector_vector_int_int x)
{
    const int n = x._0_length, rows = n * (n + 1) / 2;
    int row = 0, element = 0;
    out->_0 = x._1;
    out->_1_length = n;
    out->_1_offsets_offsets = malloc((n + 1) * sizeof(int));
    out->_1_offsets = malloc((rows + 1) * sizeof(int));
    out->_1 = malloc((rows * n + 1) * sizeof(int));
    out->_1_offsets_offsets[0] = out->_1_offsets[0] = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            for (int l = 0; l < i; l++)
                out->_1[element++] = 1;
            out->_1_offsets[++row] = element;
        }
        out->_1_offsets_offsets[i + 1] = row;
    }
}
static void second(int *n, tuple_vector_tuple_int_bool_end_int **out, int length,
                   const tuple_int_vector_tuple_int_bool *xs)
{
    *n = length;
    *out = malloc(length * sizeof **out + 1);
    for (int i = 0; i < length; i++) {
        const int count = xs[i]._1_length;
        (*out)[i]._1 = xs[i]._0;
        (*out)[i]._0_length = count;
        (*out)[i]._0 = malloc(count * sizeof *(*out)[i]._0 + 1);
        for (int j = 0; j < count; j++)
            (*out)[i]._0[j] = xs[i]._1[j];
    }
}
