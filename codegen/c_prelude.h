/* What the kernels of funmem call, as functions of C11 with GNU extensions, and blocks of memory. */

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

_Static_assert(sizeof(long) == 8 && sizeof(int) == 4, "long has 64 bits, int has 32");

#define __global
#define __private
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

/* ---- OpenCL's functions on scalars */

#define FM_AS(to, from)                       \
    static inline to as_##to(from a)          \
    {                                         \
        to r;                                 \
        memcpy(&r, &a, sizeof r);             \
        return r;                             \
    }
FM_AS(float, uint)
FM_AS(double, ulong)
FM_AS(uint, float)
FM_AS(int, float)
FM_AS(ulong, double)
FM_AS(long, double)
#undef FM_AS

#define popcount(a) __builtin_popcountl((ulong)(a))
#define clz(a) ((a) == 0 ? 8 * (int)sizeof(a) : __builtin_clzl((ulong)(a)) - 64 + 8 * (int)sizeof(a))
#define abs(a) _Generic((a), long: labs, default: abs)(a)

#define mul_hi(a, b) _Generic((a), ulong: fm_mul_hi_u, default: fm_mul_hi)(a, b)
static inline long fm_mul_hi(long a, long b)
{
    return (long)(((__int128)a * b) >> 64);
}
static inline ulong fm_mul_hi_u(ulong a, ulong b)
{
    return (ulong)(((unsigned __int128)a * b) >> 64);
}

/* ---- a context: what is shared by the calls of one thread */

enum { FM_OK, FM_TRAP, FM_MEMORY, FM_BLOCK };

#ifndef FM_KEEP
#ifdef __SANITIZE_ADDRESS__
#define FM_KEEP 0 /* blocks kept for reuse: none, so that each use of a freed block is noticed */
#else
#define FM_KEEP 64
#endif
#endif

struct rt_context {
    int64_t live, peak; /* bytes held by blocks; the most there were since the last call began */
    int entry, check;   /* of the last trap: which entry point, and which of its checks, from 1 */
    int64_t words[FM_WORDS];
    char message[1024];
    int kept;
    struct {
        void *data;
        int64_t size;
    } spare[FM_KEEP + 1];
};

typedef struct {
    uchar *data;
    int64_t size, held; /* held: the bytes of the allocation, at least size */
    int holders;
    bool borrowed; /* the caller's memory */
} rt_block;

static rt_block *rt_new(struct rt_context *c, int64_t size)
{
    rt_block *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    *b = (rt_block){.size = size, .held = size > 0 ? size : 1, .holders = 1};
    for (int k = c->kept; k-- > 0;)
        if (c->spare[k].size >= b->held && c->spare[k].size / 2 <= b->held) {
            b->data = c->spare[k].data;
            b->held = c->spare[k].size;
            c->spare[k] = c->spare[--c->kept];
            break;
        }
    if (!b->data) {
#if FM_KEEP
        b->held = b->held > INT64_MAX - 64 ? b->held : (b->held + 63) / 64 * 64;
        b->data = aligned_alloc(64, b->held);
#else
        b->data = malloc(b->held);
#endif
    }
    if (!b->data) {
        free(b);
        return NULL;
    }
    c->live += size;
    if (c->live > c->peak)
        c->peak = c->live;
    return b;
}

/* A variable holds its block no longer. */
static void rt_drop(struct rt_context *c, rt_block **x)
{
    rt_block *b = *x;
    *x = NULL;
    if (!b || --b->holders > 0)
        return;
    if (!b->borrowed) {
        c->live -= b->size;
        if (c->kept < FM_KEEP) {
            c->spare[c->kept].data = b->data;
            c->spare[c->kept++].size = b->held;
        } else
            free(b->data);
    }
    free(b);
}

static inline void rt_alias(struct rt_context *c, rt_block **x, rt_block *y)
{
    if (y)
        y->holders++;
    rt_drop(c, x);
    *x = y;
}

/* x holds a new block of `size` bytes; `over`: the size does not fit 64 bits. */
static int rt_alloc(struct rt_context *c, rt_block **x, int64_t size, int over)
{
    rt_drop(c, x);
    if (size < 0)
        size = 0;
    *x = over ? NULL : rt_new(c, size);
    if (*x)
        return FM_OK;
    if (over)
        snprintf(c->message, sizeof c->message, "a block's size does not fit 64 bits");
    else
        snprintf(c->message, sizeof c->message, "no memory for a block of %lld bytes",
                 (long long)size);
    return FM_MEMORY;
}

/* x holds an argument of `size` bytes: the caller's memory, or a copy that may be written. */
static int rt_take(struct rt_context *c, rt_block **x, const void *data, int64_t size, bool copy)
{
    if (copy) {
        int code = rt_alloc(c, x, size, 0);
        if (code == FM_OK && size > 0)
            memcpy((*x)->data, data, size);
        return code;
    }
    if (!(*x = calloc(1, sizeof **x))) {
        snprintf(c->message, sizeof c->message, "no memory");
        return FM_MEMORY;
    }
    **x = (rt_block){(uchar *)data, size, size, 1, true};
    return FM_OK;
}

/* The caller gets the first `size` bytes of a block: the block's own memory if nobody else has it. */
static int rt_give(struct rt_context *c, rt_block **x, int64_t size, void **out)
{
    rt_block *b = *x;
    if (size > 0 && (!b || b->size < size)) {
        snprintf(c->message, sizeof c->message, "a block is smaller than the array in it");
        return FM_BLOCK;
    }
    if (b && b->holders == 1 && !b->borrowed) {
        *out = b->data;
        c->live -= b->size;
        free(b);
        *x = NULL;
        return FM_OK;
    }
    if (!(*out = malloc(size > 0 ? size : 1))) {
        snprintf(c->message, sizeof c->message, "no memory for a result of %lld bytes",
                 (long long)size);
        return FM_MEMORY;
    }
    if (size > 0)
        memcpy(*out, b->data, size);
    return FM_OK;
}

static inline uchar *rt_data(const rt_block *b)
{
    return b ? b->data : NULL;
}

/* ---- kernels */

#ifdef _OPENMP
#include <omp.h>
#define FM_PARALLEL(n) _Pragma("omp parallel for schedule(static) if (n > 1)")
#define FM_WIDE(n) ((n) >= 4 * omp_get_max_threads())
#else
#define FM_PARALLEL(n)
#define FM_WIDE(n) 1
#endif

/* Reports a failed check; of several iterations of one kernel the first in order is kept. */
static __attribute__((cold, noinline, unused)) void rt_fail(
    volatile long *status, long launch, long gid, long check, int count, const long *values)
{
    (void)launch;
#ifdef _OPENMP
#pragma omp critical(fm_fail)
#endif
    if (status[0] == 0 || gid < status[2]) {
        status[0] = check;
        status[2] = gid;
        for (int k = 0; k < count; k++)
            status[FM_HEAD + k] = values[k];
    }
}
