# cmake -DOUTPUT=FILE.c -DPAGE=viewer.html -P embed_page.cmake: the viewer's page as a C array, so
# that perp view works wherever the program is. Without a page the array is empty.
set(bytes "")
if(EXISTS "${PAGE}")
  file(READ ${PAGE} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
endif()
file(WRITE ${OUTPUT} "// Made by cmake/embed_page.cmake.\n#include \"view/view.h\"\n\n"
  "const unsigned char view_page[] = {${bytes}0};\n"
  "const size_t view_page_size = sizeof view_page - 1;\n")
