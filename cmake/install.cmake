# cmake --install: both libraries, headers, the program with its manual and completions, and how
# others find them: pkg-config perp, find_package(perp).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS perp_shared EXPORT perp-shared)
install(TARGETS perp EXPORT perp-static)
install(DIRECTORY include/perp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE NOTICE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# --- find_package(perp [COMPONENTS static]) --------------------------------------------------------
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/perp)
install(EXPORT perp-shared NAMESPACE perp:: DESTINATION ${package_folder})
install(EXPORT perp-static NAMESPACE perp:: DESTINATION ${package_folder})
configure_package_config_file(cmake/perp-config.cmake.in ${PROJECT_BINARY_DIR}/perp-config.cmake
  INSTALL_DESTINATION ${package_folder})
# before 1.0 each minor version may change the interface
write_basic_package_version_file(${PROJECT_BINARY_DIR}/perp-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/perp-config.cmake
  ${PROJECT_BINARY_DIR}/perp-config-version.cmake cmake/dependencies.cmake
  DESTINATION ${package_folder})

# --- pkg-config ------------------------------------------------------------------------------------
# Paths in it are relative to where it lies, so that cmake --install --prefix and moving it work.
set(private_libraries)
foreach(library ${hdf5_library} ${QHULL_LIBRARY} ${AMD_LIBRARY} ${CAMD_LIBRARY} ${LAPACK_LIBRARIES})
  get_filename_component(folder ${library} DIRECTORY)
  get_filename_component(name ${library} NAME_WE)
  string(REGEX REPLACE "^(lib|-l)" "" name ${name})
  list(APPEND private_libraries "-L${folder}" "-l${name}")
endforeach()
list(FILTER private_libraries EXCLUDE REGEX "^-L(/usr/lib|/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})?$")
list(REMOVE_DUPLICATES private_libraries)
list(JOIN private_libraries " " PRIVATE_LIBRARIES)
file(RELATIVE_PATH TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/perp.pc.in ${PROJECT_BINARY_DIR}/perp.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/perp.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# --- the program -----------------------------------------------------------------------------------
if(PERP_CLI)
  install(TARGETS perp_cli)
  find_package(Python3 COMPONENTS Interpreter REQUIRED)
  set(pages_folder ${PROJECT_BINARY_DIR}/pages)
  add_custom_command(OUTPUT ${pages_folder}/man1/perp.1
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/pages $<TARGET_FILE:perp_cli>
      ${pages_folder}
    DEPENDS perp_cli tools/pages COMMENT "Manual and completions from --help")
  add_custom_target(perp_pages ALL DEPENDS ${pages_folder}/man1/perp.1)
  install(DIRECTORY ${pages_folder}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${pages_folder}/perp.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME perp)
  install(FILES ${pages_folder}/_perp DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${pages_folder}/perp.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
