# cmake -DOUTPUT=FILE.c -DFOLDER=scenes/demo -P embed_scenes.cmake: the scenes as C arrays, so that
# perp demo works wherever the program is.
file(GLOB scenes ${FOLDER}/*.yaml)
list(SORT scenes)
set(text "// Made by cmake/embed_scenes.cmake.\n#include \"demo.h\"\n\n")
foreach(scene ${scenes})
  get_filename_component(name ${scene} NAME_WE)
  string(MAKE_C_IDENTIFIER ${name} id)
  file(READ ${scene} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND text "static const unsigned char ${id}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${name}\", (const char *)${id}},\n")
endforeach()
string(APPEND text "\nconst DemoScene demo_scenes[] = {\n${table}};\n"
  "const int demo_scene_count = sizeof demo_scenes / sizeof *demo_scenes;\n")
file(WRITE ${OUTPUT} "${text}")
