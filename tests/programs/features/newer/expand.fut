-- Flattening by expansion (paper 004, section 3.1): elements that expand to none, and sizes below zero.
-- ==
-- entry: expanded
-- input { [2i64, 0i64, 3i64] } output { [20i64, 21i64, 30i64, 31i64, 32i64] [41i64, 93i64] [41i64, 0i64, 93i64] }
-- input { [-1i64, 1i64] } output { [10i64] [10i64] [0i64, 10i64] }
-- input { empty([0]i64) } output { empty([0]i64) empty([0]i64) empty([0]i64) }

entry expanded (ks: []i64) =
  let get k i = 10 * k + i
  in ( expand id get ks
     , expand_reduce id get (+) 0 ks
     , expand_outer_reduce id get (+) 0 ks )
