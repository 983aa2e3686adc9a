-- Sum values come out of `if`, `match` and `loop`, with different constructors from the branches.
-- ==
-- input { 27 } output { 111 }
-- input { 1 } output { 0 }
-- input { 0 } output { -1 }
-- input { -5 } output { -1 }

type progress = #busy {value: i64, steps: i32} | #done i32 | #diverged

def collatz (p: progress) : progress =
  match p
  case #busy {value = 1, steps} -> #done steps
  case #busy {value, steps} ->
    if value < 1 then #diverged
    else #busy {value = if value % 2 == 0 then value / 2 else 3 * value + 1, steps = steps + 1}
  case other -> other

def busy (p: progress) : bool = match p case #busy _ -> true case _ -> false

def main (n: i32) : i32 =
  match loop p = #busy {value = i64.i32 n, steps = 0} while busy p do collatz p
  case #done steps -> steps
  case _ -> -1

-- ==
-- entry: mapped
-- input { [1, 2, 3, 0] } output { [0, 1, 7, -1] }

entry mapped [n] (xs: [n]i32) : [n]i32 = map main xs
