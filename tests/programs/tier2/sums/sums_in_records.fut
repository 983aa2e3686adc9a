-- Sums inside records and records inside sums, updated and matched by path.
-- ==
-- input { 1 } output { 3 11 }
-- input { 0 } output { 3 3 }

type item = {cost: i32, discount: #percent i32 | #fixed i32 | #no_discount}

def price (i: item) : i32 =
  match i.discount
  case #percent p -> i.cost - i.cost * p / 100
  case #fixed f -> i.cost - f
  case #no_discount -> i.cost

def main (k: i32) : (i32, i32) =
  let i: item = {cost = 6, discount = #percent 50}
  let j = if k == 1 then {cost = 12, discount = #fixed 1} : item else i
  in (price i, price j)

-- ==
-- entry: updated_field
-- input { 100 } output { 100 75 90 }

entry updated_field (cost: i32) : (i32, i32, i32) =
  let i: item = {cost, discount = #no_discount}
  let j = i with discount = #percent 25
  let k = j with discount = #fixed 10
  in (price i, price j, price k)

-- ==
-- entry: record_payload
-- input { 2 } output { 5 }
-- input { -2 } output { -2 }

type event = #moved {by: {x: i32, y: i32}, fast: bool} | #stopped

entry record_payload (x: i32) : i32 =
  let e: event = if x > 0 then #moved {by = {x, y = x + 1}, fast = true} else #stopped
  in match e
     case #moved {by = {x = a, y}, fast = true} -> a + y
     case #moved m -> m.by.x
     case #stopped -> x
