-- How many words a text has: letters that follow no letter.
-- ==
-- input { "It's a test, no more." } output { 6i64 }
-- input { " a\nb" } output { 2i64 }
-- input { "" } output { 0i64 }

def is_letter (c: u8) : bool = (c | 32) - 'a' < 26

entry main [n] (text: [n]u8) : i64 =
  if n == 0 then 0
  else let starts before c = i64.bool (is_letter c && !(is_letter before))
       in i64.bool (is_letter text[0]) + i64.sum (map2 starts (init text) (tail text))
