-- Top-level `let` is the older spelling of `def`; doc comments and attributes are skipped.
-- ==
-- entry: area
-- input { 3 4 } output { 12 }

-- ==
-- entry: attributed
-- input { [1, 2, 3] } output { 12 [2, 4, 6] }
-- input { empty([0]i32) } output { 0 empty([0]i32) }

let width_of (x: i32) : i32 = x
let zero = 0i32

-- | The area of a rectangle.
entry area (w: i32) (h: i32) = width_of w * h + zero

#[noinline]
def double (x: i32) = x * 2

#[inline]
def total [n] (xs: [n]i32) = #[sequential] reduce (+) zero xs

entry attributed [n] (xs: [n]i32) =
  let ys = #[incremental_flattening(no_outer)] map double xs
  let r = #[unroll] loop acc = 0 for i < 3i32 do acc + i
  in (total ys + (r - 3), #[opaque] ys)
