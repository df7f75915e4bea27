" Written by tools/gen_editors.py; a test compares.
setlocal commentstring=//\ %s
