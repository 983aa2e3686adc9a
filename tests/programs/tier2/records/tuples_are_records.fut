-- A tuple is the record with fields 0, 1, …; projections, updates and patterns work on both spellings.
-- ==
-- input { 3 4 } output { 4 3 7 }

def main (a: i32) (b: i32) : (i32, i32, i32) =
  let t: (i32, i32) = {1 = a, 0 = b}
  in (t.0, t.1, t.0 + t.1)

-- ==
-- entry: nested_projection
-- input { 1 2 3 } output { 3 2 }

entry nested_projection (a: i32) (b: i32) (c: i32) : (i32, i32) =
  let t = (a, (b, {last = c}))
  in (t.1.1.last, t.1.0)

-- ==
-- entry: tuple_update
-- input { 5 } output { 5 20 }

entry tuple_update (x: i32) : (i32, i32) =
  let t = (10, 20) with 0 = x
  in t

-- ==
-- entry: unit
-- input { 2i64 } output { 2i64 }
-- input { 0i64 } output { 0i64 }

entry unit (n: i64) : i64 =
  let us: [n]() = replicate n ()
  in length us
