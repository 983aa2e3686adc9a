-- Upper case, palindromes, searching, parsing and printing numbers on strings.
-- ==
-- input { "Hello, World" } output { "HELLO, WORLD" }
-- input { empty([0]u8) } output { empty([0]u8) }

def upper (c: u8) : u8 = if c >= 'a' && c <= 'z' then c - 32 else c

def main [n] (s: [n]u8) : [n]u8 = map upper s

-- ==
-- entry: palindrome
-- input { "abcba" } output { true }
-- input { "abca" } output { false }
-- input { empty([0]u8) } output { true }

entry palindrome [n] (s: [n]u8) : bool = and (map2 (==) s (reverse s))

-- ==
-- entry: occurrences
-- input { "aa" "aaa" } output { [0i64, 1i64] }
-- input { "abc" "xabcabc" } output { [1i64, 4i64] }
-- input { "abc" "ab" } output { empty([0]i64) }

entry occurrences [k] [n] (word: [k]u8) (text: [n]u8) : []i64 =
  filter (\i -> all (\j -> text[i + j] == word[j]) (iota k)) (iota (i64.max 0 (n - k + 1)))

-- ==
-- entry: parse
-- input { "1234" } output { 1234 }
-- input { "-17" } output { -17 }
-- input { "0" } output { 0 }

entry parse [n] (s: [n]u8) : i32 =
  let digits = filter (\c -> c >= '0' && c <= '9') s
  let value = loop v = 0 for c in digits do 10 * v + i32.u8 (c - '0')
  in if n > 0 && s[0] == '-' then -value else value

-- ==
-- entry: show
-- input { 1234 } output { "1234" }
-- input { 0 } output { "0" }
-- input { -70 } output { "-70" }

entry show (x: i32) : []u8 =
  let digits = (loop (ds, r) = ([], i32.abs x) while r > 0 || null ds do
                  ([u8.i32 (r % 10) + '0'] ++ ds, r / 10)).0
  in if x < 0 then "-" ++ digits else digits

-- ==
-- entry: words
-- input { "the quick  fox" } output { [0i64, 4i64, 11i64] [3i64, 5i64, 3i64] }
-- input { "  " } output { empty([0]i64) empty([0]i64) }

entry words [n] (s: [n]u8) : ([]i64, []i64) =
  let blank (i: i64) = i < 0 || i >= n || s[i] == ' '
  let starts = filter (\i -> !blank i && blank (i - 1)) (iota n)
  let lengths = map (\i -> (loop j = i while !blank j do j + 1) - i) starts
  in (starts, lengths)
