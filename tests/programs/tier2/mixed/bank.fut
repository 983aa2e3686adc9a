-- A log of transactions (sums with record payloads) applied to accounts: sequentially and as a histogram.
-- ==
-- input { 3i64 [0, 0, 1, 2, 1] [0i64, 1i64, 0i64, 0i64, 2i64] [100, 50, 30, 20, 10] }
-- output { [50, 70, 0] 1 }
-- input { 1i64 empty([0]i32) empty([0]i64) empty([0]i32) } output { [0] 0 }

type transaction = #deposit {to: i64, amount: i32}
                 | #withdraw {from: i64, amount: i32}
                 | #transfer {from: i64, to: i64, amount: i32}

def decode (kind: i32) (account: i64) (amount: i32) : transaction =
  match kind
  case 0 -> #deposit {to = account, amount}
  case 1 -> #withdraw {from = account, amount}
  case _ -> #transfer {from = account, to = 1, amount}

type result [k] = {balances: [k]i32, refused: i32}

def apply [k] (r: *result [k]) (t: transaction) : *result [k] =
  match t
  case #deposit {to, amount} ->
    let refused = r.refused
    let new = r.balances[to] + amount
    in {balances = r.balances with [to] = new, refused}
  case #withdraw {from, amount} ->
    let refused = r.refused
    let new = r.balances[from] - amount
    in if new < 0 then {balances = r.balances, refused = refused + 1}
       else {balances = r.balances with [from] = new, refused}
  case #transfer {from, to, amount} ->
    let refused = r.refused
    let left = r.balances[from] - amount
    in if left < 0 then {balances = r.balances, refused = refused + 1}
       else let balances = r.balances with [from] = left
            let new = balances[to] + amount
            in {balances = balances with [to] = new, refused}

def main [n] (k: i64) (kinds: [n]i32) (accounts: [n]i64) (amounts: [n]i32) : ([k]i32, i32) =
  let log = map3 decode kinds accounts amounts
  let start: result [k] = {balances = replicate k 0, refused = 0}
  let end: result [k] = loop r = start for t in log do apply r t
  in (end.balances, end.refused)

-- ==
-- entry: turnover
-- input { 2i64 [0, 1, 2] [0i64, 1i64, 0i64] [5, 7, 9] } output { [14, 16] }

entry turnover [n] (k: i64) (kinds: [n]i32) (accounts: [n]i64) (amounts: [n]i32) : [k]i32 =
  let touched t : [2](i64, i32) =
    match t
    case #deposit d -> [(d.to, d.amount), (-1, 0)]
    case #withdraw w -> [(w.from, w.amount), (-1, 0)]
    case #transfer t -> [(t.from, t.amount), (t.to, t.amount)]
  let (is, vs) = map3 decode kinds accounts amounts |> map touched |> flatten |> unzip
  in reduce_by_index (replicate k 0) (+) 0 is vs
