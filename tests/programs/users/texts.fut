-- Strings are arrays of bytes, characters are numbers.
-- ==
-- input { 0i64 } output { [65u8, 66u8, 45u8, 90u8] [34u8, 113u8, 34u8, 97u8] true 0i64 }
-- input { 3i64 } output { [65u8, 66u8, 45u8, 90u8] [34u8, 113u8, 34u8, 122u8] true 0i64 }

def upper (c: u8) : u8 = if c >= 'a' && c <= 'z' then c - 32 else c
def main (k: i64) : ([]u8, []u8, bool, i64) =
  let text = "ab-z"
  in (map upper text, "\"q\"" ++ [text[k]], text == "ab-z", length "")
