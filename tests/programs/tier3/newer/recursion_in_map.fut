-- A recursive function is called by every element of a map, to a different depth each.
-- ==
-- input { [1, 2, 7, 27] } output { [0, 1, 16, 111] }
-- input { empty([0]i32) } output { empty([0]i32) }

def collatz (n: i32) (steps: i32) : i32 =
  if n <= 1 then steps else collatz (if n % 2 == 0 then n / 2 else 3 * n + 1) (steps + 1)

def main [n] (xs: [n]i32) : [n]i32 = map (\x -> collatz x 0) xs

-- ==
-- entry: powers
-- input { 2 [0, 1, 10] } output { [1, 2, 1024] }
-- input { -3 [3, 4] } output { [-27, 81] }

def power (x: i32) (k: i32) : i32 =
  if k == 0 then 1
  else let h = power x (k / 2)
       in if k % 2 == 0 then h * h else h * h * x

entry powers [n] (x: i32) (ks: [n]i32) : [n]i32 = map (power x) ks
