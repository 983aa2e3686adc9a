"""The style sheet of ``funmem explain --html``, for light and dark colour schemes."""

STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5d6878; --paper: #fbfbfa;
  --card: #ffffff; --line: #dfe3e8; --band: #8a94a31f; --argument: #4f7fb8; --inner: #c98a2e;
  --result: #3f9269; --area: #7a8ca633; --edge: #6c7f9b; --mark: #c2453c;
  --t0: #9cc0ea; --t1: #f2c98a; --t2: #a6d8bf; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa5b5; --paper: #14181e;
  --card: #1b2129; --line: #333c48; --band: #a9b6c81c; --argument: #6c9fdc; --inner: #dca24c;
  --result: #58b487; --area: #8fa4c433; --edge: #93a6c2; --mark: #ee7a70;
  --t0: #35598a; --t1: #80591f; --t2: #2b6a4c; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.55rem; margin: 0; overflow-wrap: anywhere; }
header p { margin: .1rem 0 0; color: var(--soft); }
h2 { font-size: 1.3rem; margin: 2.4rem 0 .2rem; }
h3 { font-size: 1.02rem; margin: 2rem 0 .5rem; }
section { border-top: 1px solid var(--line); margin-top: 1.6rem; }
p { margin: .35rem 0; overflow-wrap: anywhere; }
code { font: .9em ui-monospace, "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.small, .legend { color: var(--soft); font-size: .875rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: .7rem 1.1rem .8rem; margin: 1rem 0; }
.number { font-size: 2rem; font-weight: 650; line-height: 1.15; margin: 0; }
.formula { font-size: 1.06rem; }
.wide { overflow-x: auto; background: var(--card); border: 1px solid var(--line);
  border-radius: 10px; padding: .4rem .6rem; margin: .6rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: .82rem; }
th, td { padding: .38rem .7rem .38rem .3rem; vertical-align: top; }
tbody tr { border-top: 1px solid var(--line); }
.copies td:nth-child(2) { white-space: nowrap; }
details { margin: .5rem 0; }
summary { cursor: pointer; }
details > :not(summary) { margin-left: 1.1rem; }
.legend span { margin-right: 1.3rem; white-space: nowrap; }
.key { display: inline-block; width: .8em; height: .8em; border-radius: 3px; margin-right: .4em; }
svg { display: block; max-width: none; }
svg text { fill: var(--ink); font-size: 12px; }
svg .small { fill: var(--soft); font-size: 11.5px; }
svg .tiny { font-size: 9.5px; }
svg .right { text-anchor: end; }
svg .middle { text-anchor: middle; }
svg .code { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.argument { fill: var(--argument); background: var(--argument); }
.inner { fill: var(--inner); background: var(--inner); }
.result { fill: var(--result); background: var(--result); }
.band { fill: var(--band); background: var(--band); border: 1px solid var(--line); }
.maybe { opacity: .42; }
.grid { stroke: var(--line); stroke-width: 1; }
.axis { stroke: var(--soft); stroke-width: 1; }
.area { fill: var(--area); stroke: var(--edge); stroke-width: 1.5; }
.mark { fill: var(--mark); }
.hover { fill: transparent; }
.hover:hover { fill: var(--band); }
.cell { fill: transparent; stroke: var(--line); }
.thread0 { fill: var(--t0); } .thread1 { fill: var(--t1); } .thread2 { fill: var(--t2); }
.key0, .key1, .key2 { color: var(--ink); border-radius: 3px; padding: 0 .5em; }
.key0 { background: var(--t0); } .key1 { background: var(--t1); } .key2 { background: var(--t2); }
@media print { main { max-width: none; } details > * { display: revert; } }
"""
