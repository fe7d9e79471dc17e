# cmake -DOUTPUT=FILE.c -DFOLDER=scenes/demo -DHEADER=demo.h -DTYPE=DemoScene -DTABLE=demo_scenes
# -P embed_scenes.cmake: the scenes as C arrays, so that they are there wherever the program is.
# TABLE ends with an entry without name.
file(GLOB scenes ${FOLDER}/*.yaml)
list(SORT scenes)
set(text "// Made by cmake/embed_scenes.cmake.\n#include \"${HEADER}\"\n\n")
foreach(scene ${scenes})
  get_filename_component(name ${scene} NAME_WE)
  string(MAKE_C_IDENTIFIER ${name} id)
  file(READ ${scene} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND text "static const unsigned char ${id}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${name}\", (const char *)${id}},\n")
endforeach()
string(APPEND text "\nconst ${TYPE} ${TABLE}[] = {\n${table}    {0, 0},\n};\n")
file(WRITE ${OUTPUT} "${text}")
