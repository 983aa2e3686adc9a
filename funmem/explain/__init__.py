"""What a program does with memory, for people: ``funmem explain``.

report      what there is to say, as data        copies, reasons: which copies, and why
as_text     for a terminal                       as_json: for machines
as_html     for a browser                        timeline, drawing: its pictures; markup, style
budget      --max-bytes                          interpret: what a device would answer
"""
