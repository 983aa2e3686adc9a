-- An interpreter for a stack machine: arrays of instructions with payloads drive in-place updates.
-- ==
-- input { [0, 0, 1] [2, 3, 0] } output { 5 0 }
-- input { [0, 0, 2, 0, 3] [2, 3, 0, 10, 0] } output { -4 0 }
-- input { empty([0]i32) empty([0]i32) } output { 0 1 }
-- input { [1] [0] } output { 0 1 }
-- input { [0, 9] [4, 0] } output { 0 2 }

type instruction = #push i32 | #add | #mul | #sub | #bad

def decode (op: i32) (arg: i32) : instruction =
  match op
  case 0 -> #push arg
  case 1 -> #add
  case 2 -> #mul
  case 3 -> #sub
  case _ -> #bad

def arity (i: instruction) : i64 =
  match i
  case #push _ -> 0
  case #add -> 2
  case #mul -> 2
  case #sub -> 2
  case #bad -> 0

type status = #running | #underflow | #illegal

def run [n] (code: [n]instruction) : (status, i32) =
  let (status, stack, top) =
    loop (status, stack, top) = (#running : status, replicate (n + 1) 0, 0) for i in code do
      if status != #running then (status, stack, top)
      else if top < arity i then (#underflow, stack, top)
      else
        let a = stack[i64.max 0 (top - 2)]
        let b = stack[i64.max 0 (top - 1)]
        in match i
           case #push x -> (#running, stack with [top] = x, top + 1)
           case #add -> (#running, stack with [top - 2] = a + b, top - 1)
           case #mul -> (#running, stack with [top - 2] = a * b, top - 1)
           case #sub -> (#running, stack with [top - 2] = a - b, top - 1)
           case #bad -> (#illegal, stack, top)
  in if status == #running && top != 1 then (#underflow, 0) else (status, stack[0])

def main [n] (ops: [n]i32) (args: [n]i32) : (i32, i32) =
  match run (map2 decode ops args)
  case (#running, x) -> (x, 0)
  case (#underflow, _) -> (0, 1)
  case (#illegal, _) -> (0, 2)
