#!/bin/sh
# SPDX-License-Identifier: MIT
# The recipes for Conan and vcpkg, without either: the port configures this tree for each set of features, with
# stand-ins for vcpkg's own functions; every option that the recipes name is CMake's, and each driver is an
# option of both.
set -eu
src=$DBLOCK_SOURCE_DIR
port=$src/packaging/vcpkg/ports/dblock
conan=$src/packaging/conan
cd "$DBLOCK_TEST_TMP"

fail()
{
	echo "recipes: $*" >&2
	[ ! -e out ] || tail -n 40 out >&2
	exit 1
}

# What the port calls, as its pages say; what is installed is not tried. By the system's name CMake takes it for
# a build for another machine, as vcpkg may have it.
cat >stand-ins.cmake <<'END'
cmake_minimum_required(VERSION 3.22)
set(PORT dblock)
set(CURRENT_PACKAGES_DIR ${CMAKE_CURRENT_BINARY_DIR}/packages)
macro(vcpkg_download_distfile out)
  set(${out} archive)
endmacro()
macro(vcpkg_extract_source_archive out)
  set(${out} ${TREE})
endmacro()
macro(vcpkg_check_linkage)
endmacro()
function(vcpkg_check_features)
  cmake_parse_arguments(arg "" OUT_FEATURE_OPTIONS FEATURES ${ARGN})
  set(options "")
  while(arg_FEATURES)
    list(POP_FRONT arg_FEATURES feature variable)
    list(FIND FEATURES ${feature} at)
    if(at EQUAL -1)
      list(APPEND options -D${variable}=OFF)
    else()
      list(APPEND options -D${variable}=ON)
    endif()
  endwhile()
  set(${arg_OUT_FEATURE_OPTIONS} ${options} PARENT_SCOPE)
endfunction()
macro(vcpkg_find_acquire_program name)
  find_program(${name} pkg-config REQUIRED)
endmacro()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(arg "" SOURCE_PATH OPTIONS ${ARGN})
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B made -DCMAKE_SYSTEM_NAME=Linux ${arg_OPTIONS}
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()
# In what CMake has made of the file that is installed.
function(vcpkg_replace_string file from to)
  get_filename_component(name ${file} NAME)
  file(READ made/${name} text)
  string(FIND "${text}" "${from}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "there is no '${from}' in ${name}")
  endif()
endfunction()
foreach(name IN ITEMS cmake_install cmake_config_fixup fixup_pkgconfig copy_tools install_copyright)
  cmake_language(EVAL CODE "macro(vcpkg_${name})\nendmacro()")
endforeach()
include(${PORT_DIR}/portfile.cmake)
END

# configures WANTED FEATURES: the drivers and whether there is a program, as they come out.
configures()
{
	rm -rf made
	cmake -DTREE="$src" -DPORT_DIR="$port" -DFEATURES="$2" -P stand-ins.cmake >out 2>&1 || fail "fails with $2"
	got=$(sed -n 's/^-- dblock: driver \([a-z]*\) .*/\1/p' out | xargs)
	[ ! -e made/src/cli/cmake_install.cmake ] || got="$got tools"
	[ "$got" = "$1" ] || fail "'$2' makes '$got', not '$1'"
	tr '\n' ' ' <out | grep -o 'Manually-specified variables.*' | tr -s ' ' '\n' | grep '^DBLOCK' >unused || :
	[ ! -s unused ] || fail "CMake has no such option: $(xargs <unused)"
}

features()
{
	sed -n '/"features": {/,$s/^    "\([a-z]*\)": {$/\1/p' "$port/vcpkg.json"
}

configures "sqlite postgresql mysql tools" "$(features | xargs | tr ' ' ';')"
configures sqlite sqlite
configures "postgresql mysql" "mysql;postgresql"

# Conan's: the options of its file are CMake's. One for each driver, and none besides.
python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$conan/conanfile.py" || fail "is not Python"
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$port/vcpkg.json" || fail "vcpkg.json is not JSON"
drivers=$(sed -n 's/^dbl_driver(\([a-z]*\) .*/\1/p' "$src/cmake/drivers.cmake" | sort | xargs)
[ "$(features | grep -vx tools | sort | xargs)" = "$drivers" ] || fail "features are not the drivers: $drivers"
said=$(sed -n '/^    options = {/,/^    }/s/^        "\([a-z]*\)": .*/\1/p' "$conan/conanfile.py" | grep -vx program | sort | xargs)
[ "$said" = "$drivers" ] || fail "Conan's options '$said' are not the drivers: $drivers"
for option in $(sed -n 's/.*for other in (\(.*\)):$/\1/p' "$conan/conanfile.py" | tr -d '",') CLI; do
	grep -q "^DBLOCK_$option:" made/CMakeCache.txt || fail "conanfile.py sets DBLOCK_$option, which is no option"
done
