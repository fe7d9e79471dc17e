#!/bin/bash
# As users do: installed into an empty prefix with a space in its name, by way of DESTDIR too, and
# moved; the README's program built by pkg-config (shared and static), find_package and
# add_subdirectory, by gcc and clang, in C and C++, and against an older header.
# Usage: test_install.sh BUILD, from the folder of the sources.
set -u
. tests/cli/expect.sh
build=$(realpath "$1")
sources=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix="$folder/pre fix"
expected=$("$build/tests/test_hello")

# same NAME PROGRAM: it prints what the README says
same() {
    local output
    output=$(LD_LIBRARY_PATH=$libdir "$2" 2>&1)
    [ "$output" = "$expected" ] || complain "$1: $output"
}

try() { "$@" >"$folder/log" 2>&1 || complain "$*: $(cat "$folder/log")"; }

try cmake --install "$build" --prefix "$prefix"
DESTDIR=$folder/stage try cmake --install "$build" --prefix /usr
for file in bin/perp include/perp/perp.h share/man/man1/perp-run.1 share/zsh/site-functions/_perp \
    share/bash-completion/completions/perp share/fish/vendor_completions.d/perp.fish \
    share/doc/perp/NOTICE; do
    [ -s "$prefix/$file" ] || complain "$file is not installed"
    [ -s "$folder/stage/usr/$file" ] || complain "DESTDIR: $file is not installed"
done
mv "$prefix" "$folder/prefix" # an installation may move
prefix=$folder/prefix
libdir=$(dirname "$(find "$prefix" -name libperp.a)")
export PKG_CONFIG_PATH=$libdir/pkgconfig
expect 0 '^perp 0' "$prefix/bin/perp" --version
expect 0 'SYNOPSIS' man -l "$prefix/share/man/man1/perp-run.1"
[ "$(man --warnings -E UTF-8 -l "$prefix/share/man/man1/perp-run.1" 2>&1 >/dev/null)" = "" ] ||
    complain "the manual page has mistakes"
(
    . "$prefix/share/bash-completion/completions/perp"
    completed() { # what the words $2 ... complete to
        COMP_WORDS=(perp "${@:2}") COMP_CWORD=$(($# - 1))
        _perp
        [ "${COMPREPLY[*]}" = "$1" ] || complain "bash completes $* to ${COMPREPLY[*]}"
    }
    completed --scheme run --sch
    completed paoli-schatzman run --scheme pao
    completed replay help rep
    completed status sweep st
    completed nsgs,newton-local run --methods nsgs,newton-
    completed ladder bench lad
    [ $failures = 0 ]
) || complain "bash does not complete"

# pkg-config
cp tests/test_hello.c "$folder/box.c"
cd "$folder" || exit 1
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    try $compiler -std=c11 -Wall -Wextra -Wpedantic -Werror box.c -o box-$compiler $(pkg-config --cflags --libs perp)
    same "$compiler, shared" ./box-$compiler
    try $compiler box.c -l:libperp.a -Wl,--as-needed -o box-static $(pkg-config --cflags --static --libs perp)
    same "$compiler, static" ./box-static
    readelf -d box-static | grep -q libperp && complain "$compiler: the static program needs libperp.so"
done
try g++ -x c++ -Wall -Wextra -Werror box.c -o box-c++ $(pkg-config --cflags --libs perp)
same "C++" ./box-c++
readelf -d box-gcc | grep NEEDED | grep -vqE 'libperp.so.0|libc.so' && complain "the program links more than perp"

# an older header: settings end with `step`, shapes with `density`, bodies with `mass`
cp -r "$prefix/include" older
sed -i '/^typedef struct PerpSimulationSettings/,/^}/{/double step;/,/^}/{/double step;\|^}/!d}}' older/perp/simulation.h
sed -i '/^typedef struct PerpShapeDef/,/^}/{/double density;/,/^}/{/double density;\|^}/!d}}' older/perp/shape.h
sed -i '/^typedef struct PerpBodyDef/,/^}/{/double mass;/,/^}/{/double mass;\|^}/!d}}' older/perp/model.h
grep -q 'unsigned methods' older/perp/simulation.h && complain "the older header is not older"
try gcc -fsanitize=address -Iolder box.c -o box-older -L"$libdir" -lperp
same "an older header" ./box-older

# CMake: find_package for a C project, add_subdirectory for one in C++
mkdir package subfolder
cp box.c package
cp box.c subfolder/box.cpp
cat >package/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(perp 0.2 REQUIRED COMPONENTS static)
add_executable(shared box.c)
target_link_libraries(shared PRIVATE perp::perp)
add_executable(static box.c)
target_link_libraries(static PRIVATE perp::static)
CMAKE
try cmake -S package -B package/build -DCMAKE_PREFIX_PATH="$prefix"
try cmake --build package/build
same "find_package, shared" package/build/shared
same "find_package, static" package/build/static

# a project in C++ alone; clang, where it is, without OpenMP of its own
mkdir plus
cp box.c plus/box.cpp
sed -e 's/LANGUAGES C/LANGUAGES CXX/' -e 's/box\.c)/box.cpp)/' package/CMakeLists.txt >plus/CMakeLists.txt
CXX=$(command -v clang++ || command -v g++) CC=$(command -v clang || command -v gcc) \
    try cmake -S plus -B plus/build -DCMAKE_PREFIX_PATH="$prefix"
try cmake --build plus/build
same "find_package, C++, shared" plus/build/shared
same "find_package, C++, static" plus/build/static

# add_subdirectory of what it needs and no more: configured only, since building would take minutes; its targets and
# files count
mkdir sources
(cd "$sources" && cp -r CMakeLists.txt cmake include src "$folder/sources")
cat >subfolder/CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C CXX)
set(flags_before "\${CMAKE_C_FLAGS}")
add_subdirectory($folder/sources perp)
add_executable(box box.cpp)
target_link_libraries(box PRIVATE perp::perp)
get_property(tests DIRECTORY $folder/sources PROPERTY TESTS)
get_property(targets DIRECTORY $folder/sources PROPERTY BUILDSYSTEM_TARGETS)
message(STATUS "tests: [\${tests}] targets: [\${targets}]")
if(NOT flags_before STREQUAL CMAKE_C_FLAGS OR CMAKE_RUNTIME_OUTPUT_DIRECTORY)
  message(FATAL_ERROR "perp changed the settings of its user")
endif()
CMAKE
find sources | sort >before
expect 0 'tests: \[\] targets: \[perp_flags;perp_objects;perp_commit;perp;perp_shared\]' \
    cmake -S subfolder -B subfolder/build -G Ninja
try ninja -C subfolder/build -t query box
if [ "${PERP_WHOLE:-}" ]; then # by hand
    try cmake --build subfolder/build
    same add_subdirectory subfolder/build/box
fi
left=$(find sources | sort | diff before -) || complain "add_subdirectory left files in the sources: $left"
ls subfolder/build | grep -qvE '^(CMake.*|cmake_install.cmake|build.ninja|perp|\.ninja.*|compile_commands.json|box)$' &&
    complain "add_subdirectory left files outside its folder: $(ls subfolder/build)"

[ $failures = 0 ] && echo "passed"
