-- How many words a text has: letters that follow no letter.
-- ==
-- input { "It's a test, no more." } output { 6i64 }
-- input { " a\nb" } output { 2i64 }
-- input { "" } output { 0i64 }

def is_letter (c: u8) : bool = (c | 32) - 'a' < 26

entry main [n] (text: [n]u8) : i64 =
  let starts i = is_letter text[i] && (i == 0 || !(is_letter text[i - 1]))
  in i64.sum (tabulate n (\i -> i64.bool (starts i)))
