/* Values in the data format of tests: read from standard input, written to standard output.

     5  5i64  1.5f32  true  f32.nan  -f64.inf  0x1f  [[1, 2], [3, 4]]  empty([0][3]i32)

   A number without a suffix has the type of its parameter. */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

typedef struct {
    const char *name;
    int size;
    char kind; /* b bool, i signed, u unsigned, f float */
} data_type;

static int data_line = 1;

static _Noreturn void data_fail(const char *form, ...)
{
    va_list given;
    va_start(given, form);
    fflush(stdout);
    fprintf(stderr, "<stdin>:%d: error[input]: ", data_line);
    vfprintf(stderr, form, given);
    fputc('\n', stderr);
    exit(1);
}

/* The next character that is neither a blank nor a comma nor in a comment. */
static int data_next(void)
{
    for (;;) {
        int c = getchar();
        data_line += c == '\n';
        if (c == '-') {
            const int after = getchar();
            if (after != '-') {
                ungetc(after, stdin);
                return c;
            }
            while (c != '\n' && c != EOF)
                c = getchar();
            data_line++;
        } else if (c != ',' && !isspace(c))
            return c;
    }
}

/* The word that begins with `c`: it ends before a blank, a comma or a bracket. */
static void data_word(int c, char *word, size_t size)
{
    size_t k = 0;
    for (; c != EOF && !isspace(c) && !strchr(",[](){}", c); c = getchar()) {
        if (k + 1 == size)
            data_fail("a value is too long");
        word[k++] = c;
    }
    if (c != EOF)
        ungetc(c, stdin);
    word[k] = 0;
}

static void data_store(const data_type *t, const char *word, void *to)
{
    char text[128], *end = NULL;
    const size_t n = strlen(word), s = strlen(t->name);
    const bool negative = word[0] == '-';
    snprintf(text, sizeof text, "%s", word);
    if (n > s && !strcmp(word + n - s, t->name) && strncmp(word, "0x", 2))
        text[n - s] = 0;
    errno = 0;
    if (t->kind == 'b') {
        const bool value = !strcmp(word, "true");
        if (!value && strcmp(word, "false"))
            data_fail("`%s` is not a bool", word);
        *(uint8_t *)to = value;
        return;
    }
    if (t->kind == 'f') {
        const char *special = word + negative;
        double d = 0;
        if (!strncmp(special, t->name, s) && !strcmp(special + s, ".nan"))
            d = NAN;
        else if (!strncmp(special, t->name, s) && !strcmp(special + s, ".inf"))
            d = negative ? -INFINITY : INFINITY;
        else {
            d = t->size == 8 ? strtod(text, &end) : strtof(text, &end);
            if (end == text || *end)
                data_fail("`%s` is not of type %s", word, t->name);
        }
        if (t->size == 4)
            *(float *)to = (float)d;
        else
            *(double *)to = d;
        return;
    }
    const int64_t most = t->size == 8 ? INT64_MAX : ((int64_t)1 << (8 * t->size - 1)) - 1;
    const int base = strncmp(word + negative, "0x", 2) ? 10 : 16;
    if (t->kind == 'u') {
        const uint64_t value = strtoull(text, &end, base), top = 2 * (uint64_t)most + 1;
        if (end == text || *end || errno || negative || value > top)
            data_fail("`%s` is not of type %s", word, t->name);
        memcpy(to, &value, t->size);
    } else {
        const int64_t value = strtoll(text, &end, base);
        if (end == text || *end || errno || value > most || value < -most - 1)
            data_fail("`%s` is not of type %s", word, t->name);
        memcpy(to, &value, t->size);
    }
}

static __attribute__((unused)) void data_scalar(const data_type *t, void *to)
{
    char word[96];
    const int c = data_next();
    if (c == EOF || strchr("[](){}", c))
        data_fail("a value of type %s is missing", t->name);
    data_word(c, word, sizeof word);
    data_store(t, word, to);
}

typedef struct {
    uint8_t *data;
    int64_t count, room;
} data_cells;

/* One dimension of an array, after its bracket; `c` is the first character inside. */
static void data_rows(const data_type *t, int rank, int64_t *shape, data_cells *cells)
{
    int64_t n = 0;
    for (;; n++) {
        const int c = data_next();
        if (c == ']')
            break;
        if (rank > 1) {
            if (c != '[')
                data_fail("a row of an array begins with `[`");
            data_rows(t, rank - 1, shape + 1, cells);
            continue;
        }
        if (c == EOF || strchr("[](){}", c))
            data_fail("an element of type %s is missing", t->name);
        if (cells->count == cells->room) {
            cells->room = 2 * cells->room + 64;
            cells->data = realloc(cells->data, cells->room * t->size);
            if (!cells->data)
                data_fail("no memory for an array");
        }
        char word[96];
        data_word(c, word, sizeof word);
        data_store(t, word, cells->data + t->size * cells->count++);
    }
    if (*shape >= 0 && *shape != n)
        data_fail("rows of lengths %" PRId64 " and %" PRId64 " in one array", *shape, n);
    *shape = n;
}

static __attribute__((unused)) void *data_array(const data_type *t, int rank, int64_t *shape)
{
    data_cells cells = {NULL, 0, 0};
    for (int k = 0; k < rank; k++)
        shape[k] = -1;
    const int c = data_next();
    if (c == '[') {
        data_rows(t, rank, shape, &cells);
        for (int k = 1; k < rank; k++)
            if (shape[k] < 0)
                data_fail("an empty array needs its type: empty(…%s)", t->name);
    } else if (c == 'e') {
        char word[96];
        data_word(c, word, sizeof word);
        bool fits = !strcmp(word, "empty") && getchar() == '(';
        for (int k = 0; k < rank && fits; k++)
            fits = scanf("[%" SCNd64 "]", &shape[k]) == 1 && shape[k] >= 0;
        data_word(getchar(), word, sizeof word);
        if (!fits || strcmp(word, t->name) || getchar() != ')')
            data_fail("this is no empty array of rank %d and type %s", rank, t->name);
        int64_t count = 1;
        for (int k = 0; k < rank; k++)
            count *= shape[k];
        if (count)
            data_fail("an array that is called empty has elements");
    } else
        data_fail("an array of type %s is missing", t->name);
    return cells.data ? cells.data : calloc(1, t->size);
}

static void data_float(const data_type *t, double d)
{
    char text[64] = "";
    if (isnan(d))
        printf("%s.nan", t->name);
    else if (isinf(d))
        printf("%s%s.inf", d < 0 ? "-" : "", t->name);
    else {
        /* as few digits as give the same number */
        for (int digits = 1; digits <= 17; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, d);
            if (t->size == 8 ? strtod(text, NULL) == d : strtof(text, NULL) == (float)d)
                break;
        }
        printf("%s%s%s", text, strpbrk(text, ".en") ? "" : ".0", t->name);
    }
}

static void data_write(const data_type *t, const void *from)
{
    int64_t i = 0;
    uint64_t u = 0;
    switch (t->kind) {
    case 'b':
        fputs(*(const uint8_t *)from ? "true" : "false", stdout);
        break;
    case 'f':
        data_float(t, t->size == 4 ? *(const float *)from : *(const double *)from);
        break;
    case 'u':
        memcpy(&u, from, t->size);
        printf("%" PRIu64 "%s", u, t->name);
        break;
    default:
        memcpy(&i, from, t->size);
        i = (int64_t)((uint64_t)i << (64 - 8 * t->size)) >> (64 - 8 * t->size);
        printf("%" PRId64 "%s", i, t->name);
    }
}

static const uint8_t *data_write_rows(const data_type *t, int rank, const int64_t *shape,
                                      const uint8_t *from)
{
    putchar('[');
    for (int64_t k = 0; k < *shape; k++) {
        if (k)
            fputs(", ", stdout);
        if (rank > 1)
            from = data_write_rows(t, rank - 1, shape + 1, from);
        else {
            data_write(t, from);
            from += t->size;
        }
    }
    putchar(']');
    return from;
}

static __attribute__((unused)) void data_write_array(const data_type *t, int rank,
                                                     const int64_t *shape, const void *from)
{
    bool empty = false;
    for (int k = 0; k < rank; k++)
        empty |= shape[k] == 0;
    if (empty) {
        fputs("empty(", stdout);
        for (int k = 0; k < rank; k++)
            printf("[%" PRId64 "]", shape[k]);
        printf("%s)", t->name);
    } else
        data_write_rows(t, rank, shape, from);
    putchar('\n');
}
