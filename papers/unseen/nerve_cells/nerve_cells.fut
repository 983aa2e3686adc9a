-- Many nerve cells, each a system of two differential equations (FitzHugh 1961, Nagumo 1962),
-- integrated by Runge and Kutta's method; as Rodinia's myocyte, with a smaller cell.
-- ==
-- input { 3 0.1 [0.5, 0.0] [-1.0, 1.0] [0.0, 0.5] }
-- output { [-1.0486247625555418f64, 1.0450756988653793f64] [-0.007717124250229108f64, 0.5314598013716605f64] }
-- input { 0 0.1 [1.0] [2.0] [3.0] }
-- output { [2.0f64] [3.0f64] }

type cell = {v: f64, w: f64}

def slope (current: f64) (c: cell) : cell =
  {v = c.v - c.v * c.v * c.v / 3 - c.w + current, w = 0.08 * (c.v + 0.7 - 0.8 * c.w)}

def along (h: f64) (c: cell) (d: cell) : cell = {v = c.v + h * d.v, w = c.w + h * d.w}

def step (h: f64) (current: f64) (c: cell) : cell =
  let k1 = slope current c
  let k2 = slope current (along (h / 2) c k1)
  let k3 = slope current (along (h / 2) c k2)
  let k4 = slope current (along h c k3)
  in {v = c.v + h / 6 * (k1.v + 2 * k2.v + 2 * k3.v + k4.v),
      w = c.w + h / 6 * (k1.w + 2 * k2.w + 2 * k3.w + k4.w)}

entry main [n] (steps: i32) (h: f64) (currents: [n]f64) (vs: [n]f64) (ws: [n]f64)
    : ([n]f64, [n]f64) =
  let run current v w =
    let c = loop c = {v, w} for _t < steps do step h current c
    in (c.v, c.w)
  in unzip (map3 run currents vs ws)
