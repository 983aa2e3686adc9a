-- A sum value is the state of a loop: a lexer that counts words, numbers and brackets.
-- ==
-- input { "foo 12 (b4r) 7" } output { 2 2 1 }
-- input { empty([0]u8) } output { 0 0 0 }
-- input { "9" } output { 0 1 0 }
-- input { "a)" } output { 1 0 -1 }

type state = #between | #word | #number | #broken i64

type summary = {words: i32, numbers: i32, depth: i32, brackets: i32, state: state}

def digit (c: u8) : bool = c >= '0' && c <= '9'
def letter (c: u8) : bool = c >= 'a' && c <= 'z'

def step (s: summary) (c: u8) (at: i64) : summary =
  match s.state
  case #broken _ -> s
  case old ->
    let s = s with state = if letter c then (if old == #number then #number else #word)
                           else if digit c then (if old == #word then #word else #number)
                           else #between
    let s = if old == #between && s.state == #word then s with words = s.words + 1 else s
    let s = if old == #between && s.state == #number then s with numbers = s.numbers + 1 else s
    in if c == '(' then s with depth = s.depth + 1
       else if c != ')' then s
       else if s.depth == 0 then s with state = #broken at
       else s with depth = s.depth - 1 with brackets = s.brackets + 1

def main [n] (text: [n]u8) : (i32, i32, i32) =
  let start: summary = {words = 0, numbers = 0, depth = 0, brackets = 0, state = #between}
  let s = loop s = start for i < n do step s text[i] i
  in match s.state
     case #broken _ -> (s.words, s.numbers, -1)
     case _ -> (s.words, s.numbers, s.brackets)
