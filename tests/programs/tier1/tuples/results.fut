-- A tuple result is several results; an inner tuple stays one level deeper only inside the program.
-- ==
-- entry: flat
-- input { 3 } output { 3 4 [3, 3, 3] }
-- input { 0 } output { 0 1 empty([0]i32) }

-- ==
-- entry: unit_argument
-- input { 4 } output { 5 }

-- ==
-- entry: choose
-- input { true } output { 1 2.0 }
-- input { false } output { 3 4.0 }

entry flat (x: i32) : (i32, i32, []i32) = (x, x + 1, replicate (i64.i32 x) x)

def one () : i32 = 1
def ignore (_: (i32, ())) = ()
entry unit_argument (x: i32) = let () = ignore (x, ()) in x + one ()

entry choose (b: bool) : (i32, f64) = if b then (1, 2) else (3, 4)
