-- A string is an array of u8 with its UTF-8 bytes; escapes and characters are numbers.
-- ==
-- input { } output { "abc" [97u8, 98u8, 99u8] 0i64 }

def main : ([3]u8, []u8, i64) = ("abc", "abc", length "")

-- ==
-- entry: escapes
-- input { } output { [10u8, 9u8, 34u8, 92u8] 4i64 }

entry escapes : ([]u8, i64) = ("\n\t\"\\", length "\n\t\"\\")

-- ==
-- entry: unicode
-- input { } output { [195u8, 169u8] [226u8, 130u8, 172u8] }

entry unicode : ([]u8, []u8) = ("é", "€")

-- ==
-- entry: characters
-- input { 98u8 } output { true 25u8 [72u8, 105u8] }
-- input { 65u8 } output { false 250u8 [72u8, 105u8] }

entry characters (c: u8) : (bool, u8, []u8) =
  (c >= 'a' && c <= 'z', if c == 'b' then 'z' - 'a' else c - 'G', ['H', 'i'])

-- ==
-- entry: joined
-- input { "left" } output { "left and right" }
-- input { empty([0]u8) } output { " and right" }

entry joined [n] (s: [n]u8) : []u8 = s ++ " and " ++ "right"
