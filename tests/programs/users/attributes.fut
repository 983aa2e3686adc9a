-- Attributes stand where they may, and change nothing.
-- ==
-- input { [1, 2] } output { 3i32 [3i32, 6i32] }
-- input { empty([0]i32) } output { 0i32 empty([0]i32) }

#[noinline]
def f (x: i32) : i32 = x * 3
def main (xs: []i32) : (i32, []i32) =
  (#[sequential] reduce (+) 0 xs, #[incremental_flattening(no_outer)] map (\x -> #[unsafe] f x) xs)
