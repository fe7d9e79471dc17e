# perp_flags: how everything here is compiled. Private to the targets of this project.
add_library(perp_flags INTERFACE)

# -ffp-contract=off: the same bits whatever instructions the machine has; -fno-math-errno: square
# roots are instructions, not calls
target_compile_options(perp_flags INTERFACE -ffp-contract=off -fno-math-errno)

# Errors in CI: make test WERROR=ON sets CMAKE_COMPILE_WARNING_AS_ERROR. Left out:
# -Wsign-conversion, a part of -Wconversion: counts are int and sizes are size_t, and no count that
# is below 0 gets past the checks at the public functions
target_compile_options(perp_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes -Wconversion -Wno-sign-conversion>)

# hardening: what a mistake in a reader of files could do is bounded
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
target_compile_options(perp_flags INTERFACE -fstack-protector-strong)
if(NOT PERP_SANITIZE AND NOT PERP_COVERAGE)
  target_compile_options(perp_flags INTERFACE
    $<$<NOT:$<CONFIG:Debug,>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>)
endif()
if(CMAKE_SYSTEM_NAME STREQUAL Linux)
  target_link_options(perp_flags INTERFACE -Wl,-z,relro,-z,now)
endif()

if(PERP_SANITIZE)
  target_compile_options(perp_flags INTERFACE -fsanitize=${PERP_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(perp_flags INTERFACE -fsanitize=${PERP_SANITIZE})
endif()
if(PERP_COVERAGE)
  target_compile_options(perp_flags INTERFACE --coverage -fprofile-update=atomic -DPERP_COVERAGE)
  target_link_options(perp_flags INTERFACE --coverage)
endif()
