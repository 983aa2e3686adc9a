-- A loop body must not consume what comes from outside: it runs more than once.
-- ==
-- error: [Cc]onsum

def main (xs: *[]i32) (n: i32) =
  loop acc = 0 for i < n do
    let ys = xs with [0] = i
    in acc + ys[0]
