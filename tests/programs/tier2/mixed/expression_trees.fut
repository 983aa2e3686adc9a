-- Expression trees as arrays of nodes whose payloads are indices, evaluated level by level.
-- ==
-- input { 2 } output { 18 }
-- input { -1 } output { 0 }
-- input { 0 } output { 0 }

type node = #variable | #literal i32 | #sum i64 i64 | #product i64 i64 | #negation i64

def depth_of [n] (nodes: [n]node) : *[n]i32 =
  loop depths = replicate n 0 for i < n do
    let d = match nodes[i]
            case #sum a b -> 1 + i32.max depths[a] depths[b]
            case #product a b -> 1 + i32.max depths[a] depths[b]
            case #negation a -> 1 + depths[a]
            case _ -> 0
    in depths with [i] = d

def eval [n] (x: i32) (nodes: [n]node) : *[n]i32 =
  let depths = depth_of nodes
  in loop values = replicate n 0 for level < 1 + i32.maximum depths do
       map3 (\node depth old ->
               if depth != level then old
               else match node
                    case #variable -> x
                    case #literal k -> k
                    case #sum a b -> values[a] + values[b]
                    case #product a b -> values[a] * values[b]
                    case #negation a -> -values[a])
            nodes depths values

-- 3 * (x + (x * x)) for every x
def program : [6]node =
  [#variable, #product 0 0, #sum 0 1, #literal 3, #product 3 2, #negation 4]

def main (x: i32) : i32 = (eval x program)[4]

-- ==
-- entry: all_nodes
-- input { [1, -2] } output { [[1, 1, 2, 3, 6, -6], [-2, 4, 2, 3, 6, -6]] }
-- input { empty([0]i32) } output { empty([0][6]i32) }

entry all_nodes [n] (xs: [n]i32) : [n][6]i32 = map (\x -> eval x program) xs

-- ==
-- entry: depths
-- input { } output { [0, 1, 2, 0, 3, 4] }

entry depths : [6]i32 = depth_of program
