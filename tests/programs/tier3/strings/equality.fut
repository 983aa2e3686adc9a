-- Strings compare like arrays, and tables of strings of one length can be searched.
-- ==
-- input { "mon" } output { true 0i64 }
-- input { "wed" } output { false 2i64 }
-- input { "xyz" } output { false -1i64 }

def days : [][3]u8 = ["mon", "tue", "wed"]

def main (s: [3]u8) : (bool, i64) =
  let hit = map2 (\i d -> if d == s then i else -1) (indices days) days
  in (s == "mon", i64.maximum hit)
