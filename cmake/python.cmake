# The Python package: in a wheel, which scikit-build-core asks for, and for the tests, if tools/setup
# has made build/python with what it needs.
set(python_for_tests ${PROJECT_SOURCE_DIR}/build/python/bin/python)
set(python_built OFF)
if(SKBUILD)
  set(python_built ON)
elseif(PERP_TESTS AND EXISTS ${python_for_tests})
  execute_process(COMMAND ${python_for_tests} -c "import cffi, numpy" RESULT_VARIABLE lacks_cffi
    OUTPUT_QUIET ERROR_QUIET)
  if(NOT lacks_cffi)
    set(python_built ON)
  endif()
endif()
if(python_built)
  add_subdirectory(python)
else()
  message(STATUS "Python package not built: tools/setup test installs what it needs")
endif()
