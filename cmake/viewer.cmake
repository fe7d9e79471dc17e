# The page of perp view: built from viewer/ by node, if tools/setup has put its packages there, and
# made part of the program. Without them the program is built all the same, and perp view says so.
set(viewer_folder ${PROJECT_SOURCE_DIR}/viewer)
set(viewer_page ${PROJECT_BINARY_DIR}/viewer.html)
set(viewer_source ${PROJECT_BINARY_DIR}/viewer_page.c)
find_program(NODE_PROGRAM NAMES node nodejs)
if(NODE_PROGRAM AND EXISTS ${viewer_folder}/node_modules/vite)
  file(GLOB viewer_sources CONFIGURE_DEPENDS ${viewer_folder}/src/*)
  add_custom_command(OUTPUT ${viewer_page}
    DEPENDS ${viewer_sources} ${viewer_folder}/index.html ${viewer_folder}/build.mjs
      ${viewer_folder}/tsconfig.json ${viewer_folder}/package-lock.json
    COMMAND ${NODE_PROGRAM} node_modules/typescript/bin/tsc --noEmit
    COMMAND ${NODE_PROGRAM} build.mjs ${viewer_page}
    WORKING_DIRECTORY ${viewer_folder} COMMENT "Building the viewer's page")
  set(viewer_built ON)
else()
  message(STATUS "viewer not built: node or viewer/node_modules is missing, see tools/setup")
  set(viewer_page "")
  set(viewer_built OFF)
endif()
add_custom_command(OUTPUT ${viewer_source} DEPENDS ${viewer_page} cmake/embed_page.cmake
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${viewer_source} -DPAGE=${viewer_page}
    -P ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake)
