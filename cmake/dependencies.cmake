# What the library links: perp_dependencies. docs/dependencies.md says what each is for, and
# tests/install/test_licences.py compares that page with what was linked.
# This file is installed, too: cmake/perp-config.cmake.in reads it for those who link statically.
set(BLA_VENDOR Generic)
find_package(LAPACK REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(MD REQUIRED IMPORTED_TARGET libmd)
pkg_check_modules(ISAL REQUIRED IMPORTED_TARGET libisal)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(ZLIB REQUIRED)
find_library(QHULL_LIBRARY qhull_r REQUIRED)
find_library(AMD_LIBRARY amd REQUIRED)
find_library(CAMD_LIBRARY camd REQUIRED)
# not by SUNDIALS' own package, which on Debian demands the compiler's OpenMP; perp needs none
set(sundials_libraries)
foreach(part cvode nvecserial sunmatrixdense sunlinsoldense sunnonlinsolfixedpoint)
  find_library(SUNDIALS_${part} sundials_${part} REQUIRED)
  list(APPEND sundials_libraries ${SUNDIALS_${part}})
endforeach()
find_package(Threads REQUIRED)

# HDF5 alone, without what it is itself made of
set(hdf5_library ${HDF5_LIBRARIES})
list(FILTER hdf5_library INCLUDE REGEX "hdf5")
set(perp_dependencies LAPACK::LAPACK PkgConfig::YAML PkgConfig::MD PkgConfig::ISAL ${hdf5_library}
  ${QHULL_LIBRARY} ${AMD_LIBRARY} ${CAMD_LIBRARY} ZLIB::ZLIB ${sundials_libraries}
  Threads::Threads m)
