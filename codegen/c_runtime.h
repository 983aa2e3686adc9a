/* ---- a context: what is shared by the calls of one thread */

#ifndef FM_KEEP
#ifdef __SANITIZE_ADDRESS__
#define FM_KEEP 0 /* blocks kept for reuse: none, so that each use of a freed block is noticed */
#else
#define FM_KEEP 64
#endif
#endif
#define FM_SPARE ((int64_t)1 << 22) /* bytes that are kept though no call ever had as many */

struct rt_context {
    int64_t live, peak; /* bytes held by blocks; the most there were since the last call began */
    int entry, check;   /* of the last trap: which entry point, and which of its checks, from 1 */
    int64_t words[FM_WORDS];
    char message[1024];
    int kept;
    int64_t spared, most; /* bytes of spare blocks; the greatest peak of all calls */
    struct {
        void *data;
        int64_t size;
    } spare[FM_KEEP + 1]; /* what was dropped first comes first */
};

/* Memory for blocks.  What a caller releases is kept for the next blocks of about its size, since
   new memory costs a page fault for every page; the size stands in front of the data. */
#if FM_KEEP
#include <stdatomic.h>
#include <sys/mman.h>

enum { FM_RELEASED = 8 };

static struct {
    atomic_flag busy;
    int kept;
    int64_t given, most, size; /* bytes that callers have, the most there were, bytes kept here */
    uchar *data[FM_RELEASED];
} rt_released = {.busy = ATOMIC_FLAG_INIT};

static inline int64_t rt_held(const uchar *data)
{
    return *(const int64_t *)(data - 64);
}

static void rt_free(void *data)
{
    if (data)
        free((uchar *)data - 64);
}

static bool rt_fits(int64_t held, int64_t wanted)
{
    return held >= wanted && held / 2 <= wanted;
}

/* Large blocks get large pages, if the system has some for who asks. */
static void rt_large_pages(uchar *whole, int64_t size)
{
#ifdef MADV_HUGEPAGE
    const int64_t page = 4096, large = (int64_t)1 << 22;
    const int64_t before = -(intptr_t)whole & (page - 1);
    if (size >= large)
        madvise(whole + before, (size - before) & -page, MADV_HUGEPAGE);
#endif
}

/* Of what is kept, that at one place, for use again or to be freed. */
static uchar *rt_unkept(int at)
{
    uchar *data = rt_released.data[at];
    rt_released.size -= rt_held(data);
    rt_released.kept--;
    memmove(&rt_released.data[at], &rt_released.data[at + 1],
            (rt_released.kept - at) * sizeof(uchar *));
    return data;
}

static void rt_lock(void)
{
    while (atomic_flag_test_and_set(&rt_released.busy))
        ;
}
static void rt_unlock(void)
{
    atomic_flag_clear(&rt_released.busy);
}

static void *rt_memory(int64_t size)
{
    void *found = NULL;
    rt_lock();
    for (int k = rt_released.kept; k-- > 0 && !found;)
        if (rt_fits(rt_held(rt_released.data[k]), size))
            found = rt_unkept(k);
    rt_unlock();
    if (found || size > INT64_MAX - 128)
        return found;
    size = (size + 63) / 64 * 64;
    uchar *whole = aligned_alloc(64, size + 64);
    if (!whole)
        return NULL;
    rt_large_pages(whole, size + 64);
    *(int64_t *)whole = size;
    return whole + 64;
}

/* A caller gets memory. */
static void rt_given(void *data)
{
    rt_lock();
    rt_released.given += rt_held(data);
    if (rt_released.given > rt_released.most)
        rt_released.most = rt_released.given;
    rt_unlock();
}

/* Keeps memory that a caller gives back, at most as much as callers ever had; what was given back
   first goes first. */
static void rt_release(void *data)
{
    if (!data)
        return;
    rt_lock();
    if (rt_released.kept == FM_RELEASED)
        rt_free(rt_unkept(0));
    rt_released.data[rt_released.kept++] = data;
    rt_released.size += rt_held(data);
    rt_released.given -= rt_held(data);
    while (rt_released.size > rt_released.most)
        rt_free(rt_unkept(0));
    rt_unlock();
}

static void rt_forget(void)
{
    rt_lock();
    while (rt_released.kept > 0)
        rt_free(rt_unkept(0));
    rt_unlock();
}
#else
#define rt_free free
#define rt_release free
#define rt_memory(size) malloc(size)
#define rt_given(data) ((void)0)
#define rt_forget() ((void)0)
#endif

/* The spare block at one place, for use again or to be freed. */
static uchar *rt_unspared(struct rt_context *c, int at)
{
    uchar *data = c->spare[at].data;
    c->spared -= c->spare[at].size;
    c->kept--;
    memmove(&c->spare[at], &c->spare[at + 1], (c->kept - at) * sizeof c->spare[0]);
    return data;
}

/* New memory; if there is none, once more without what is kept for reuse. */
static void *rt_obtain(struct rt_context *c, int64_t size)
{
    void *data = rt_memory(size);
    if (data)
        return data;
    while (c->kept > 0)
        rt_free(rt_unspared(c, 0));
    rt_forget();
    return rt_memory(size);
}

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
            b->held = c->spare[k].size;
            b->data = rt_unspared(c, k);
            break;
        }
    if (!b->data)
        b->data = rt_obtain(c, b->held);
    if (!b->data) {
        free(b);
        return NULL;
    }
#if FM_KEEP
    b->held = rt_held(b->data);
#endif
    c->live += size;
    if (c->live > c->peak)
        c->peak = c->live;
    if (c->live > c->most)
        c->most = c->live;
    return b;
}

/* A variable holds its block no longer.  What nobody holds is kept for the next blocks, but not
   much more than calls have needed at once. */
static void rt_drop(struct rt_context *c, rt_block **x)
{
    rt_block *b = *x;
    *x = NULL;
    if (!b || --b->holders > 0)
        return;
    if (!b->borrowed) {
        c->live -= b->size;
        c->spare[c->kept].data = b->data;
        c->spare[c->kept++].size = b->held;
        c->spared += b->held;
        while (c->kept > FM_KEEP || c->spared > FM_SPARE + 2 * c->most)
            rt_free(rt_unspared(c, 0));
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

/* x holds a new block of `size` bytes; the greatest size stands for all that do not fit 64 bits. */
static int rt_alloc(struct rt_context *c, rt_block **x, int64_t size)
{
    rt_drop(c, x);
    *x = rt_new(c, size > 0 ? size : 0);
    if (*x)
        return FM_OK;
    if (size == INT64_MAX)
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
        int code = rt_alloc(c, x, size);
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

/* The caller gets the first `size` bytes of a block: the block's own memory if nobody else has it,
   and this is the `last` result in it. */
static int rt_give(struct rt_context *c, rt_block **x, int64_t size, bool last, void **out)
{
    rt_block *b = *x;
    if (size > 0 && (!b || b->size < size)) {
        snprintf(c->message, sizeof c->message, "a block is smaller than the array in it");
        return FM_BLOCK;
    }
    if (b && last && b->holders == 1 && !b->borrowed) {
        *out = b->data;
        rt_given(*out);
        c->live -= b->size;
        free(b);
        *x = NULL;
        return FM_OK;
    }
    if (!(*out = rt_obtain(c, size > 0 ? size : 1))) {
        snprintf(c->message, sizeof c->message, "no memory for a result of %lld bytes",
                 (long long)size);
        return FM_MEMORY;
    }
    rt_given(*out);
    if (size > 0)
        memcpy(*out, b->data, size);
    return FM_OK;
}

static inline uchar *rt_data(const rt_block *b)
{
    return b ? b->data : NULL;
}

static __attribute__((cold, unused)) int rt_interrupted(struct rt_context *c)
{
    snprintf(c->message, sizeof c->message, "interrupted");
    return FM_INTERRUPTED;
}

/* ---- kernels */

/* In front of a loop whose iterations are independent of each other. */
#ifdef __clang__
#define FM_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define FM_LANES _Pragma("GCC ivdep")
#endif

/* In front of a loop whose body is short. */
#ifdef __clang__
#define FM_UNROLL
#else
#define FM_UNROLL _Pragma("GCC unroll 4")
#endif

/* All bits if a condition holds, else none; the compiler must not find out which, as it would make a
   branch of what follows. */
static inline long rt_mask(uchar holds)
{
    long mask = -(long)(holds != 0);
    __asm__("" : "+r"(mask));
    return mask;
}
static const ulong rt_none = 0;
static inline uchar *rt_pick(long mask, const void *some, const void *none)
{
    return (uchar *)(((ulong)some & (ulong)mask) | ((ulong)none & ~(ulong)mask));
}

#ifdef _OPENMP
#include <omp.h>
#define FM_PRAGMA(text) _Pragma(#text)
#define FM_PARALLEL(least, schedule) FM_PRAGMA(omp parallel for schedule if (n >= least))
#define FM_PLACES schedule(static)
#define FM_PARTS schedule(dynamic, 1 + n / (64 * omp_get_max_threads()))
#define FM_WIDE(n) ((n) >= 4 * omp_get_max_threads())
#else
#define FM_PARALLEL(least, schedule)
#define FM_WIDE(n) 1
#endif

/* Of a function that one loop calls. */
#define FM_ONCE __attribute__((always_inline))

/* Reports a failed check; of several iterations of one kernel the first in order is kept. */
static __attribute__((cold, noinline, unused)) void rt_fail(
    volatile long *status, long launch, long gid, long check, int count, const long *values)
{
    (void)launch;
#ifdef _OPENMP
#pragma omp critical(fm_fail)
#endif
    if (status[0] == 0 || gid < status[2]) {
        status[2] = gid;
        __atomic_store_n(&status[0], check, __ATOMIC_RELEASE);
        for (int k = 0; k < count; k++)
            status[FM_HEAD + k] = values[k];
    }
}

/* Whether an earlier iteration has failed, so that nobody asks for what this one does, which may
   take for ever. */
static inline bool rt_stopped(const volatile long *status, long gid)
{
    return __atomic_load_n(&status[0], __ATOMIC_ACQUIRE) != 0 && status[2] < gid;
}
