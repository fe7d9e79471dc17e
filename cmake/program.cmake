# The program perp. The scenes of perp demo and of the papers are part of it, and what the papers
# show, too.
file(GLOB_RECURSE cli_sources CONFIGURE_DEPENDS cli/*.c)
function(embed_scenes table type header folder)
  file(GLOB scenes CONFIGURE_DEPENDS ${folder}/*.yaml)
  set(output ${PROJECT_BINARY_DIR}/${table}.c)
  add_custom_command(OUTPUT ${output} DEPENDS ${scenes} cmake/embed_scenes.cmake
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DTABLE=${table} -DTYPE=${type}
      -DHEADER=${header} -DFOLDER=${PROJECT_SOURCE_DIR}/${folder}
      -P ${PROJECT_SOURCE_DIR}/cmake/embed_scenes.cmake)
endfunction()
embed_scenes(demo_scenes DemoScene demo.h scenes/demo)
embed_scenes(pagt06_scenes Pagt06Scene papers/pagt06/scene.h papers/pagt06)
file(GLOB paper_sources CONFIGURE_DEPENDS papers/*.c papers/*/*.c)
include(cmake/viewer.cmake)
add_executable(perp_cli ${cli_sources} ${paper_sources} ${viewer_source}
  ${PROJECT_BINARY_DIR}/demo_scenes.c ${PROJECT_BINARY_DIR}/pagt06_scenes.c)
target_include_directories(perp_cli PRIVATE cli ${PROJECT_SOURCE_DIR})
set_target_properties(perp_cli PROPERTIES OUTPUT_NAME perp)
target_link_libraries(perp_cli PRIVATE perp perp_flags ZLIB::ZLIB m)
