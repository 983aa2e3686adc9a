r"""The surface syntax of `.fut` programs, in the order of the grammar.

    q    names           x | m.x | m.n.x                          qualified by modules
    te   type exps       q te…  |  [se]te  |  (te, …)  |  {l: te, …}  |  #c te… | …  |  te -> te
                         |  *te  |  ?[n]….te
    p    patterns        x  |  _  |  (p, …)  |  {l = p, …}  |  #c p…  |  literal  |  p : te
    e    expressions     literals, names, application, operators, let, if, match, loop, lambda, …
    [e | qual, …]        array comprehensions (paper 004, fig. 1)
    d    declarations    def, entry, type, open, import, local, module, module type
    m    module exps     x  |  { d… }  |  m m  |  \(x: s) : s -> m  |  m : s
    s    module types    x  |  { spec… }  |  s with x = te  |  (x: s) -> s

The tree follows the source text: sections, pipes, ranges, ``let x[i] = e`` and comprehensions have
nodes of their own, because messages must speak of what the programmer wrote.  Every node has a
place ``at`` and compares by identity (``eq=False``), so the checkers keep their findings in tables
keyed by the node itself.

The expressions are grouped by base classes (:class:`Literal`, :class:`Operation`, …).  A function
that treats only a few forms names the rest by these.

Users write ``ast.App``: this package has the names of all its modules.
"""

from funmem.frontends.futhark.ast.declarations import *  # noqa: F403
from funmem.frontends.futhark.ast.expressions import *  # noqa: F403
from funmem.frontends.futhark.ast.nodes import *  # noqa: F403
from funmem.frontends.futhark.ast.patterns import *  # noqa: F403
from funmem.frontends.futhark.ast.qualifiers import *  # noqa: F403
from funmem.frontends.futhark.ast.type_exps import *  # noqa: F403
