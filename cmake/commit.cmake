# cmake -DOUTPUT=FILE.h -DSOURCES=FOLDER -P commit.cmake: what git calls these sources, as a header.
# It is written only where it changes, so that a build with nothing to do does nothing.
execute_process(COMMAND git describe --always --dirty --tags WORKING_DIRECTORY ${SOURCES}
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define PERP_COMMIT \"${commit}\"\n")
