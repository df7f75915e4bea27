# src/report/report.{html,css,js} as a C file: a list of lines for each.
# Run as a script: -DFROM=FOLDER -DOUT=FILE.c
set(text "/* Made from src/report by cmake/report_page.cmake. */\n#include \"report/report.h\"\n")
foreach(part html css js)
    file(READ ${FROM}/report.${part} lines)
    string(REPLACE "\\" "\\\\" lines "${lines}")
    string(REPLACE "\"" "\\\"" lines "${lines}")
    string(REPLACE "\n" "\\n\",\n    \"" lines "${lines}")
    string(APPEND text "\nconst char *const report_${part}[] = {\n    \"${lines}\",\n    NULL};\n")
endforeach()
file(WRITE ${OUT} "${text}")
