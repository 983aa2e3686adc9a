/* ---- calls: what a function answers, and how one is interrupted */

enum { FM_OK, FM_TRAP, FM_MEMORY, FM_BLOCK, FM_INTERRUPTED, FM_DEVICE };

/* How many calls run, and whether somebody has asked that all of them end.  Kernels whose iterations
   may take long look, and so does whoever launches them. */
static volatile int rt_running, rt_stop_asked;
#define rt_stop __builtin_expect(rt_stop_asked, 0)

static inline void rt_begin(void)
{
    if (__atomic_fetch_add(&rt_running, 1, __ATOMIC_SEQ_CST) == 0)
        __atomic_store_n(&rt_stop_asked, 0, __ATOMIC_SEQ_CST);
}
static inline void rt_end(void)
{
    __atomic_fetch_sub(&rt_running, 1, __ATOMIC_SEQ_CST);
}
