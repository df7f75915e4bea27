" Written by tools/gen_editors.py; a test compares.
autocmd BufRead,BufNewFile *.ir setfiletype mindir
autocmd BufRead,BufNewFile *.mind-ir setfiletype mindir
autocmd BufRead,BufNewFile *.mind setfiletype mind
autocmd BufRead,BufNewFile *.ptir setfiletype ptir
