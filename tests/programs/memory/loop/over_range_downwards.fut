-- Likewise a range downwards, and one with a step.
-- ==
-- input { 7i64 } output { 11i64 10i64 }
-- input { 0i64 } output { -3i64 -4i64 }
-- structure seq-mem { Alloc 0 Copy 0 }

def main (n: i64) =
  let down = loop s = 0 for i in n - 1..n - 2..>n - 3 do s + i
  let by_two = loop s = 0 for i in n - 3..n - 1...n do s + i
  in (down, by_two)
