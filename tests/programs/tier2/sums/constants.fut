-- Constructors without payload: made, matched, compared, returned from branches and kept in arrays.
-- ==
-- input { 5 } output { 1 }
-- input { 0 } output { 0 }
-- input { -2147483648 } output { -1 }

type sign = #negative | #zero | #positive

def sign (x: i32) : sign = if x < 0 then #negative else if x > 0 then #positive else #zero

def value (s: sign) : i32 =
  match s
  case #negative -> -1
  case #zero -> 0
  case #positive -> 1

def main (x: i32) : i32 = value (sign x)

-- ==
-- entry: compared
-- input { 3 4 } output { true false }
-- input { 3 -4 } output { false true }
-- input { 0 0 } output { true false }

entry compared (a: i32) (b: i32) : (bool, bool) = (sign a == sign b, sign a != sign b)

-- ==
-- entry: rotated
-- input { 0 } output { 0 }
-- input { 4 } output { 1 }
-- input { 11 } output { 2 }

type light = #red | #amber | #green

entry rotated (n: i32) : i32 =
  let next (l: light) : light =
    match l
    case #red -> #green
    case #green -> #amber
    case #amber -> #red
  in match iterate n next #red
     case #red -> 0
     case #green -> 1
     case #amber -> 2
