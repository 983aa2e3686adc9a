-- Breadth-first search by colours, all nodes at once (paper 000, figure 4): a white node turns gray if
-- one of its neighbours is, a gray one black, until nothing changes.
-- ==
-- input { [0i64, 1i64, 2i64, 4i64, 5i64] [1i64, 2i64, 0i64, 1i64, 3i64] 2i64 }
-- output { [2, 1, 0, -1] }
-- input { [0i64, 0i64] empty([0]i64) 0i64 } output { [0] }
-- input { [0i64, 1i64, 1i64] [7i64] 1i64 } error: out of bounds

type colour = #white | #gray | #black

def is_gray (c: colour) : bool = match c case #gray -> true case _ -> false

-- Node v looks at edges[starts[v]] up to edges[starts[v + 1]].  The answer: in which round each node
-- turned gray; -1 if never.
entry main [k] [m] (starts: [k]i64) (edges: [m]i64) (source: i64) : []i32 =
  let n = k - 1
  let step (colours: [n]colour) (v: i64) : colour =
    match colours[v]
    case #black -> #black
    case #gray -> #black
    case #white ->
      let (_, found) =
        loop (e, found) = (starts[v], false) while !found && e < starts[v + 1] do
          (e + 1, is_gray colours[edges[e]])
      in if found then #gray else #white
  let start: [n]colour = map (\v -> if v == source then #gray else #white) (iota n)
  let (_, rounds, _, _) =
    loop (colours, rounds, round, going) =
         (start, map (\v -> if v == source then 0 else -1) (iota n), 1, true)
    while going do
      let new = map (step colours) (iota n)
      let rounds = map2 (\c r -> if is_gray c then round else r) new rounds
      in (new, rounds, round + 1, any is_gray new)
  in rounds
