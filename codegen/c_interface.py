"""The C functions of a generated library that do not depend on its program: text and prototypes.

``c`` and ``cl_host`` add those that create and release a context, which differ.
"""


def accessors(name: str) -> str:
    """Return the functions that read the state of a context, and the one that ends calls."""
    return f"""\
const char *{name}_message(const struct rt_context *c)
{{
    return c->message;
}}

int64_t {name}_peak(const struct rt_context *c)
{{
    return c->peak;
}}

void {name}_interrupt(void)
{{
    __atomic_store_n(&rt_stop_asked, 1, __ATOMIC_SEQ_CST);
}}

/* The failed check, from 1, and the values that its message is made of; without memory, the
   allocation that failed. */
int {name}_check(const struct rt_context *c, const int64_t **words)
{{
    *words = c->words;
    return c->check;
}}
"""


def accessor_prototypes(name: str, stops_at: str) -> str:
    """Return the header's part about them.  ``stops_at``: where an interrupted call ends."""
    return f"""\
void {name}_release(void *result);
const char *{name}_message(const struct {name}_context *);
/* The most bytes that blocks had at once during the last call. */
int64_t {name}_peak(const struct {name}_context *);
/* Ends the calls that run, of all contexts, at the next {stops_at}.
   Any thread and any signal handler may call it. */
void {name}_interrupt(void);
"""
