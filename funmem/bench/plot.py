"""Draw the ratios: one point for each peer of each row, on a logarithmic axis."""

from collections.abc import Collection, Sequence
from importlib.util import find_spec
from pathlib import Path

from funmem.bench.rows import Row
from funmem.codegen.files import written
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError

SUFFIXES = (".svg", ".png")
MARKERS = "osD^vPX*<>hd"


def plot(rows: Sequence[Row], path: Path) -> None:
    """Write SVG or PNG, by the path's suffix.  Raises UsageError if no row has a ratio."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shown = [r for r in rows if r.ratios]
    if not shown:
        raise _usage("there is nothing to plot: no row was compared with a peer", "see --peers")
    several = len({r.via for r in shown}) > 1
    labels = [f"{r.name} ({r.via})" if several else r.name for r in shown]
    peers = list(dict.fromkeys(p for r in shown for p in r.ratios))
    figure, axis = plt.subplots(figsize=(9, 1.5 + 0.34 * len(shown)))
    for k, peer in enumerate(peers):
        points = [(r.ratios[peer], y) for y, r in enumerate(shown) if peer in r.ratios]
        xs, ys = zip(*points, strict=True)
        axis.scatter(
            xs, ys, label=peer, marker=MARKERS[k % len(MARKERS)], s=34, color=f"C{k % 10}", zorder=3
        )
    axis.axvline(1, color="black", linewidth=1)
    axis.set_xscale("log")
    kernels = " and ".join(sorted({r.kernels for r in shown}))
    axis.set_xlabel(f"funmem's time ({kernels} kernels) / the peer's: left of 1, funmem is faster")
    axis.set_yticks(range(len(shown)), labels)
    axis.invert_yaxis()
    axis.grid(axis="both", color="0.9", zorder=0)
    axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    try:
        with written(path) as f:
            figure.savefig(f, format=path.suffix[1:], bbox_inches="tight", dpi=120)
    finally:
        plt.close(figure)


def require_plot(path: Path, peers: Collection[str]) -> None:
    """Raise UsageError, before anything is measured, if the picture cannot be drawn."""
    if path.suffix not in SUFFIXES:
        raise _usage(f"cannot draw `{path}`", f"the suffix must be {' or '.join(SUFFIXES)}")
    if not peers:
        raise _usage("there is nothing to plot without a peer to compare with", "see --peers")
    if find_spec("matplotlib") is None:
        raise _usage("--plot needs matplotlib", "python -m pip install matplotlib")


def _usage(message: str, hint: str) -> UsageError:
    return UsageError(Diagnostic(NOWHERE, "plot", message, hint))
