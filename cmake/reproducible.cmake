# -DDBLOCK_REPRODUCIBLE=ON: what is built names no folder of the build, so that the same sources, compiler,
# flags and generator make the same files, wherever that is. AUTO: for what is to be shipped, but not with the
# tests: there debuggers, gcov and sanitizers find the sources by their folders.
set(DBLOCK_REPRODUCIBLE AUTO CACHE STRING "leave the build's folders out of what is built: AUTO (without tests), ON or OFF")
set_property(CACHE DBLOCK_REPRODUCIBLE PROPERTY STRINGS AUTO ON OFF)

set(reproducible ${DBLOCK_REPRODUCIBLE})
if(DBLOCK_REPRODUCIBLE STREQUAL "AUTO")
  set(reproducible ON)
  if(DBLOCK_TESTS)
    set(reproducible OFF)
  endif()
endif()
if(reproducible)
  # The last that fits is taken: the build's folder is often in that of the sources.
  include(CheckCCompilerFlag)
  check_c_compiler_flag(-ffile-prefix-map=/a=b DBLOCK_HAS_FILE_PREFIX_MAP)
  if(DBLOCK_HAS_FILE_PREFIX_MAP)
    add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=./build)
  endif()
endif()
