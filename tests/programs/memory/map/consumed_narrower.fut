-- The result has half the bytes of the unique argument, and another thread's element would lie
-- where a thread writes: it needs a block of its own.
-- ==
-- input { [1i64, -2i64, 3i64] } output { [1, -2, 3] }
-- input { empty([0]i64) } output { empty([0]i32) }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n] (xs: *[n]i64) : [n]i32 = map i32.i64 xs
