static void twice(int *out, int a) { *out = 2 * a; }
static void sum(int *out, int a, int b) { *out = a + b; }
static void eight(int *out) { *out = 8; }
static void scaled(tuple_float_bool *out, tuple_int_float a)
{
    out->_0 = a._0 * a._1;
    out->_1 = a._0 > 2;
}
