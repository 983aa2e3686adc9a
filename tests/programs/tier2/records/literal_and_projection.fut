-- Record literals build values whose fields are found by name, whatever the order they were written in.
-- ==
-- input { 3 4i64 true } output { 3 4i64 true 7i64 }
-- input { -2147483648 -1i64 false } output { -2147483648 -1i64 false -2147483649i64 }

def main (a: i32) (b: i64) (c: bool) : (i32, i64, bool, i64) =
  let r = {wide = b, narrow = a, flag = c}
  in (r.narrow, r.wide, r.flag, i64.i32 r.narrow + r.wide)

-- ==
-- entry: nested
-- input { 1 2 } output { 1 2 3 }

entry nested (x: i32) (y: i32) : (i32, i32, i32) =
  let r = {inner = {x, y}, total = {value = x + y}}
  in (r.inner.x, r.inner.y, r.total.value)

-- ==
-- entry: projection_of_call
-- input { 10 } output { 20 }
-- input { 0 } output { 0 }

def both (x: i32) = {once = x, twice = 2 * x}

entry projection_of_call (x: i32) : i32 = (both x).twice
