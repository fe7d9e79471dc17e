# The linker's list of what the shared library exports: what the public headers declare. Hidden
# visibility alone is not enough, since gcc exports every function with target_clones (GCC 12).
file(GLOB public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/perp/*.h)
set(exported)
foreach(header ${public_headers})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(READ ${header} text)
  string(REGEX MATCHALL "PERP_API[^;(#]*perp_[a-z0-9_]+\\(" declared "${text}")
  list(TRANSFORM declared REPLACE ".*(perp_[a-z0-9_]+)\\($" "\\1")
  string(REGEX MATCHALL "\nPERP_DEFAULTS\\([A-Za-z]+, [a-z_]+\\)" defaults "${text}")
  list(TRANSFORM defaults REPLACE ".*, ([a-z_]+)\\)" "perp_fill_\\1")
  list(APPEND exported ${declared} ${defaults})
endforeach()
list(JOIN exported ";\n    " export_lines)
set(export_list ${PROJECT_BINARY_DIR}/exports.map)
file(CONFIGURE OUTPUT ${export_list} CONTENT "{\nglobal:\n    @export_lines@;\nlocal:\n    *;\n};\n"
  @ONLY)
target_link_options(perp_shared PRIVATE -Wl,--version-script=${export_list})
set_target_properties(perp_shared PROPERTIES LINK_DEPENDS ${export_list})
