# Recordings and benchmarks say what made them; the commit is looked up by every build.
set(commit_header ${PROJECT_BINARY_DIR}/commit/base/commit.h)
add_custom_target(perp_commit BYPRODUCTS ${commit_header}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${commit_header} -DSOURCES=${PROJECT_SOURCE_DIR}
    -P ${PROJECT_SOURCE_DIR}/cmake/commit.cmake)
add_dependencies(perp_objects perp_commit)
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
string(STRIP "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${build_type}}" build_flags)
set(perp_build "${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION} ${build_flags}")
if(PERP_SANITIZE)
  string(APPEND perp_build " -fsanitize=${PERP_SANITIZE}")
endif()
set_source_files_properties(src/base/version.c PROPERTIES INCLUDE_DIRECTORIES
  ${PROJECT_BINARY_DIR}/commit COMPILE_DEFINITIONS "PERP_BUILD=\"${perp_build}\"")
