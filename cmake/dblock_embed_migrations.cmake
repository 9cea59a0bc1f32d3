# dblock_embed_migrations(<target> <dir> [SYMBOL <name>] [DIALECT sqlite|postgresql|mysql])
#
# <target>, which is made in the same CMakeLists.txt, carries the migrations of <dir> in itself:
# `dblock migrate embed` makes them into C whenever it is built and one was changed, added or taken away. Its
# sources include "<name>.h", which declares
#   <name>_sqlite[], <name>_postgresql[], <name>_mysql[]  those of the folders of <dir> that are called so
#   <name>[]                                              with DIALECT: those for that database
# and how many they are: <name>_sqlite_count and so on. <name> is "migrations" unless SYMBOL says otherwise.
# A file that is not sound fails the build, with file and line.
# DBLOCK_PROGRAM names another program `dblock` than the one of this package: one that runs on this machine,
# where the package is for another one.
cmake_policy(PUSH)
cmake_policy(VERSION 3.22)

function(dblock_embed_migrations target dir)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "SYMBOL;DIALECT" "")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "dblock_embed_migrations(${ARGV}): it is (<target> <dir> [SYMBOL <name>] "
      "[DIALECT sqlite|postgresql|mysql])")
  endif()
  if(DBLOCK_PROGRAM)
    set(program ${DBLOCK_PROGRAM})
  elseif(TARGET dblock::program AND NOT CMAKE_CROSSCOMPILING)
    set(program $<TARGET_FILE:dblock::program>)
  else()
    message(FATAL_ERROR "dblock_embed_migrations(): the program dblock is needed, and does not come with this "
      "library, or not for this machine; build dblock with -DDBLOCK_CLI=ON, or name a program that runs here "
      "with -DDBLOCK_PROGRAM=<path>/dblock")
  endif()

  set(symbol migrations)
  if(arg_SYMBOL)
    set(symbol ${arg_SYMBOL})
  endif()
  set(arrays ${symbol}_sqlite ${symbol}_postgresql ${symbol}_mysql)
  set(dialect "")
  if(arg_DIALECT)
    set(arrays ${symbol})
    set(dialect --dialect ${arg_DIALECT})
  endif()
  set(made ${CMAKE_CURRENT_BINARY_DIR}/dblock_migrations/${target})
  set(header "/* Made by dblock_embed_migrations(). */\n#pragma once\n#include <dblock/migrate.h>\n")
  string(APPEND header "#ifdef __cplusplus\nextern \"C\" {\n#endif\n")
  foreach(array IN LISTS arrays)
    string(APPEND header "extern const struct dblock_migration_file ${array}[];\n"
      "extern const size_t ${array}_count;\n")
  endforeach()
  file(GENERATE OUTPUT ${made}/${symbol}.h CONTENT "${header}#ifdef __cplusplus\n}\n#endif\n")

  # The names of the files, since one that was renamed, copied or taken away is no newer than what was made.
  get_filename_component(dir ${dir} ABSOLUTE)
  file(GLOB files CONFIGURE_DEPENDS ${dir}/*.sql ${dir}/sqlite/*.sql ${dir}/postgresql/*.sql ${dir}/mysql/*.sql)
  file(GENERATE OUTPUT ${made}/${symbol}.list CONTENT "${files}\n")
  add_custom_command(OUTPUT ${made}/${symbol}.c
    COMMAND ${program} migrate embed ${dir} ${dialect} --symbol ${symbol} -o ${made}/${symbol}.c
    DEPENDS ${files} ${made}/${symbol}.list ${program}
    COMMENT "Embedding the migrations of ${dir}" VERBATIM)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "C" IN_LIST languages)
    set_source_files_properties(${made}/${symbol}.c PROPERTIES LANGUAGE CXX)
  endif()
  target_sources(${target} PRIVATE ${made}/${symbol}.c)
  target_include_directories(${target} PRIVATE ${made})
endfunction()

cmake_policy(POP)
