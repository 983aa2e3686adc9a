"""``funmem explain``: report how a program uses memory.

report      the report as data                   reasons: why copies stay, how they were removed
as_text     as text for a terminal               as_json: as JSON
as_html     as an HTML page                      timeline, drawing: its pictures; markup, style
budget      --max-bytes                          interpret: scalars that a device would compute
"""
