-- Two sum values are equal when constructor and payload are; dead payload slots do not matter.
-- ==
-- input { 1 1 } output { true true false }
-- input { 1 2 } output { false true false }

type t = #a i32 | #b i32 | #c

def drop_payload (x: t) : t = match x case #a _ -> #c case #b _ -> #c case #c -> #c

def main (x: i32) (y: i32) : (bool, bool, bool) =
  let ax: t = #a x
  let ay: t = #a y
  let by: t = #b x
  in (ax == ay, drop_payload ax == drop_payload by, ax == by)

-- ==
-- entry: floats
-- input { f64.nan f64.nan } output { false }
-- input { 0.0 -0.0 } output { true }
-- input { 1.0 2.0 } output { false }

entry floats (x: f64) (y: f64) : bool =
  let s: #value f64 | #none = #value x
  in s == #value y

-- ==
-- entry: constructor_order
-- input { 3 } output { true }

type forward = #one i32 | #two
type backward = #two | #one i32

entry constructor_order (x: i32) : bool =
  let f: forward = #one x
  let b: backward = f
  in b == #one x
