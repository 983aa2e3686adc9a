/* The foreign functions of Harlan's library, for compiled programs. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char **harlan_arguments = harlan_words;

enum { HARLAN_FILES = 256, HARLAN_TEXTS = 16 };
static FILE *harlan_files[HARLAN_FILES];
static struct { char *bytes; long length, room; } harlan_texts[HARLAN_TEXTS], harlan_result;
static int harlan_given;

static void harlan_die(const char *what)
{
    fflush(NULL);
    fprintf(stderr, "error[input]: %s\n", what);
    _Exit(1);
}

static FILE *harlan_stream(long h)
{
    FILE *f = h == 0 ? stdout : h > 0 && h < HARLAN_FILES ? harlan_files[h] : NULL;
    if (f == NULL)
        harlan_die("the file is not open");
    return f;
}

/* The handle of a file; -1 if it cannot be opened. */
static long harlan_opened(const char *name, const char *mode)
{
    struct stat about;
    long h = 1;
    while (h < HARLAN_FILES && harlan_files[h] != NULL)
        h++;
    if (h == HARLAN_FILES || (stat(name, &about) == 0 && S_ISDIR(about.st_mode)))
        return -1;
    harlan_files[h] = fopen(name, mode);
    return harlan_files[h] == NULL ? -1 : h;
}

static int harlan_closed(long h)
{
    int r = fclose(harlan_stream(h));
    if (h > 0)
        harlan_files[h] = NULL;
    return r;
}

static void harlan_grow(int n, int byte, int to_result)
{
    char **bytes = to_result ? &harlan_result.bytes : &harlan_texts[n].bytes;
    long *length = to_result ? &harlan_result.length : &harlan_texts[n].length;
    long *room = to_result ? &harlan_result.room : &harlan_texts[n].room;
    if (*length + 1 >= *room) {
        *room = 2 * *room + 64;
        *bytes = realloc(*bytes, (size_t)*room);
        if (*bytes == NULL)
            harlan_die("memory is exhausted");
    }
    (*bytes)[(*length)++] = (char)byte;
    (*bytes)[*length] = 0;
}

static int harlan_kept(const char *bytes)
{
    harlan_result.length = 0;
    while (*bytes)
        harlan_grow(0, *bytes++, 1);
    return (int)harlan_result.length;
}

/* A text that was given; the next one begins anew. */
static const char *harlan_text(unsigned short n)
{
    harlan_given = 0;
    return harlan_texts[n].bytes ? harlan_texts[n].bytes : "";
}

static int harlan_word(FILE *f)
{
    int c = fgetc(f);
    harlan_result.length = 0;
    while (c == ' ' || (c >= 9 && c <= 13))
        c = fgetc(f);
    for (; c != EOF && c != ' ' && !(c >= 9 && c <= 13); c = fgetc(f))
        harlan_grow(0, c, 1);
    if (c != EOF)
        ungetc(c, f);
    return (int)harlan_result.length;
}

static const char *harlan_number(FILE *f, double *d, long long *i)
{
    char *end = NULL;
    if (harlan_word(f) == 0)
        harlan_die("the file has ended");
    if (d)
        *d = strtod(harlan_result.bytes, &end);
    else
        *i = (long long)strtoull(harlan_result.bytes, &end, 10);
    if (*end)
        harlan_die("this is no number");
    return end;
}

static void harlan_block(long h, void *to, size_t bytes)
{
    if (fread(to, 1, bytes, harlan_stream(h)) != bytes)
        harlan_die("the file has ended");
}

static void foreign_harlan_print_int(long h, int x) { fprintf(harlan_stream(h), "%d", x); }
static void foreign_harlan_print_u64(long h, unsigned long x) { fprintf(harlan_stream(h), "%lu", x); }
static void foreign_harlan_print_float(long h, HARLAN_FLOAT x)
{
    if (isnan(x))
        fputs("nan", harlan_stream(h));
    else
        fprintf(harlan_stream(h), "%.10g", (double)x);
}
static void foreign_harlan_print_bool(long h, unsigned char x) { fputs(x ? "#t" : "#f", harlan_stream(h)); }
static void foreign_harlan_print_char(long h, unsigned char x) { fputc(x, harlan_stream(h)); }
static void foreign_harlan_print_bytes(long h, unsigned long word, long n)
{
    for (; n > 0; n--, word >>= 8)
        fputc((int)(word & 255), harlan_stream(h));
}
static void foreign_harlan_text_begin(unsigned short *r)
{
    if (harlan_given == HARLAN_TEXTS)
        harlan_die("a function takes too many texts");
    harlan_texts[harlan_given].length = 0;
    if (harlan_texts[harlan_given].bytes)
        harlan_texts[harlan_given].bytes[0] = 0;
    *r = (unsigned short)harlan_given++;
}
static void foreign_harlan_text_char(unsigned short n, unsigned char x) { harlan_grow(n, x, 0); }
static void foreign_harlan_text_bytes(unsigned short t, unsigned long word, long n)
{
    for (; n > 0; n--, word >>= 8)
        harlan_grow(t, (int)(word & 255), 0);
}
static void foreign_harlan_text_byte(long i, unsigned char *r) { *r = (unsigned char)harlan_result.bytes[i]; }
static void foreign_harlan_arguments(long *r) { *r = harlan_count; }
static void foreign_harlan_argument_length(long i, long *r) { *r = (long)strlen(harlan_arguments[i]); }
static void foreign_harlan_argument_byte(long i, long j, unsigned char *r)
{
    *r = (unsigned char)harlan_arguments[i][j];
}
static void foreign_harlan_get_environment_variable(unsigned short n, int *r)
{
    const char *found = getenv(harlan_text(n));
    *r = harlan_kept(found ? found : "");
}
static void foreign_harlan_nanotime(unsigned long *r)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    *r = (unsigned long)t.tv_sec * 1000000000UL + (unsigned long)t.tv_nsec;
}
static void foreign_harlan_time_s(HARLAN_FLOAT *r) { *r = (HARLAN_FLOAT)time(NULL); }
static void foreign_harlan_flush_stdout(void) { fflush(stdout); }
static void foreign_harlan_open_outfile(unsigned short n, long *r) { *r = harlan_opened(harlan_text(n), "wb"); }
static void foreign_harlan_close_outfile(long h) { harlan_closed(h); }
static void foreign_harlan_file_open(unsigned short n, long *r) { *r = harlan_opened(harlan_text(n), "rb"); }
static void foreign_harlan_file_close(long h) { harlan_closed(h); }
static void foreign_harlan_fopen(unsigned short n, unsigned short mode, long *r)
{
    static const char *known[] = {"rb", "wb", "ab"};
    const char *wanted = harlan_text(mode), *kind = wanted + strspn(wanted, "b");
    int k = *kind == 'r' ? 0 : *kind == 'w' ? 1 : *kind == 'a' ? 2 : -1;
    int plain = k >= 0 && kind[1 + strspn(kind + 1, "b")] == 0;
    *r = plain ? harlan_opened(harlan_text(n), known[k]) : -1;
}
static void foreign_harlan_fclose(long h, int *r) { *r = harlan_closed(h); }
static void foreign_harlan_fgetc(long h, int *r) { *r = fgetc(harlan_stream(h)); }
static void foreign_harlan_file_read_int(long h, int *r)
{
    long long i;
    harlan_number(harlan_stream(h), NULL, &i);
    *r = (int)i;
}
static void foreign_harlan_file_read_u64(long h, unsigned long *r)
{
    long long i;
    harlan_number(harlan_stream(h), NULL, &i);
    *r = (unsigned long)i;
}
static void foreign_harlan_file_read_float(long h, HARLAN_FLOAT *r)
{
    double d;
    harlan_number(harlan_stream(h), &d, NULL);
    *r = (HARLAN_FLOAT)d;
}
static void foreign_harlan_file_read_string(long h, int *r) { *r = harlan_word(harlan_stream(h)); }
static void foreign_harlan_file_read_line(long h, int *r)
{
    FILE *f = harlan_stream(h);
    int c;
    harlan_result.length = 0;
    while ((c = fgetc(f)) != EOF) {
        harlan_grow(0, c, 1);
        if (c == '\n')
            break;
    }
    *r = (int)harlan_result.length;
}
static void foreign_harlan_read_binary_float(long h, HARLAN_FLOAT *r)
{
    float x;
    harlan_block(h, &x, sizeof x);
    *r = x;
}
static void foreign_harlan_read_binary_u32(long h, unsigned long *r)
{
    unsigned int x;
    harlan_block(h, &x, sizeof x);
    *r = x;
}
static void foreign_harlan_read_binary_u16(long h, int *r)
{
    unsigned short x;
    harlan_block(h, &x, sizeof x);
    *r = x;
}
static void foreign_harlan_read_binary_char(long h, unsigned char *r) { harlan_block(h, r, 1); }
static void foreign_harlan_rt_is_cpu(unsigned char *r) { *r = 1; }
static void foreign_harlan_rt_mem_copy_time(unsigned long *r) { *r = 0; }
static void foreign_get_kernel_time(unsigned long *r) { *r = 0; }
static void foreign_reset_kernel_time(void) {}
