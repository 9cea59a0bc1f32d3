# Turns sql/<dialect>/<operation>.sql and migrations/<dialect>/NNNN_name.{up,down}.sql into C.
# Called as: cmake -D OUT=file.c -D ROOT=... -D OPS=.../ops.def -D DIALECTS=a,b -P embed.cmake
# Fails on a missing or stray operation, and on migrations that are unpaired, badly named, not
# numbered 1, 2, 3 ..., or not the same in all dialects.
cmake_minimum_required(VERSION 3.22)

set(c "/* Made by cmake/embed.cmake from sql/ and migrations/. */\n#include \"sql/dialect.h\"\n")
set(problems "")
string(REPLACE "," ";" DIALECTS ${DIALECTS})

# The bytes of a file as a C array, with a NUL behind them.
function(embed_file file symbol)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(.................................................................)" "\\1\n"
    bytes "${bytes}")
  set(c "${c}static const char ${symbol}[] = {\n${bytes}0};\n" PARENT_SCOPE)
endfunction()

# The operations that ops.def lists, in order.
file(STRINGS ${OPS} lines REGEX "^OP\\(")
set(ops "")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^OP\\(([a-z_]+),.*" "\\1" op "${line}")
  list(APPEND ops ${op})
endforeach()

set(first_names "")
foreach(dialect IN LISTS DIALECTS)
  # Operations.
  file(GLOB files RELATIVE ${ROOT}/sql/${dialect} ${ROOT}/sql/${dialect}/*)
  set(table "")
  foreach(op IN LISTS ops)
    list(FIND files ${op}.sql at)
    if(at EQUAL -1)
      list(APPEND problems "missing: sql/${dialect}/${op}.sql (listed in ops.def)")
      continue()
    endif()
    list(REMOVE_AT files ${at})
    embed_file(${ROOT}/sql/${dialect}/${op}.sql sql_${dialect}_${op})
    string(APPEND table "\t[DBL_OP_${op}] = sql_${dialect}_${op},\n")
  endforeach()
  foreach(file IN LISTS files)
    list(APPEND problems "stray: sql/${dialect}/${file} (not listed in ops.def)")
  endforeach()
  string(APPEND c "extern const char *const dbl_sql_${dialect}[];\n"
    "const char *const dbl_sql_${dialect}[] = {\n${table}};\n")

  # Migrations.
  file(GLOB files RELATIVE ${ROOT}/migrations/${dialect} ${ROOT}/migrations/${dialect}/*)
  list(SORT files)
  set(table "")
  set(names "")
  set(number 0)
  foreach(file IN LISTS files)
    if(NOT file MATCHES "^([0-9][0-9][0-9][0-9])_([a-z0-9_]+)\\.(up|down)\\.sql$")
      list(APPEND problems "bad name: migrations/${dialect}/${file} (NNNN_name.up.sql or .down.sql)")
      continue()
    endif()
    set(digits ${CMAKE_MATCH_1})
    set(name ${CMAKE_MATCH_2})
    set(way ${CMAKE_MATCH_3})
    if(way STREQUAL "down")
      if(NOT EXISTS ${ROOT}/migrations/${dialect}/${digits}_${name}.up.sql)
        list(APPEND problems "unpaired: migrations/${dialect}/${file} has no .up.sql")
      endif()
      continue()
    endif()
    if(NOT EXISTS ${ROOT}/migrations/${dialect}/${digits}_${name}.down.sql)
      list(APPEND problems "unpaired: migrations/${dialect}/${file} has no .down.sql")
      continue()
    endif()
    math(EXPR number "${number} + 1")
    math(EXPR version "1${digits} - 10000") # CMake has no number that begins with 0
    if(NOT version EQUAL number)
      list(APPEND problems "not in sequence: migrations/${dialect}/${file} should be number ${number}")
    endif()
    embed_file(${ROOT}/migrations/${dialect}/${file} up_${dialect}_${digits})
    embed_file(${ROOT}/migrations/${dialect}/${digits}_${name}.down.sql down_${dialect}_${digits})
    file(SHA256 ${ROOT}/migrations/${dialect}/${file} sum)
    string(APPEND table "\t{${number}, \"${name}\", up_${dialect}_${digits}, "
      "down_${dialect}_${digits},\n\t \"${sum}\"},\n")
    list(APPEND names ${digits}_${name})
  endforeach()
  if(first_names STREQUAL "")
    set(first_names "${names}")
    set(first_dialect ${dialect})
  elseif(NOT names STREQUAL first_names)
    list(APPEND problems "migrations differ: ${dialect} has (${names}), ${first_dialect} has (${first_names})")
  endif()
  string(APPEND c "extern const struct dbl_migration_text dbl_migrations_${dialect}[];\n"
    "const struct dbl_migration_text dbl_migrations_${dialect}[] = {\n${table}"
    "\t{0, NULL, NULL, NULL, NULL}};\n")
endforeach()

if(problems)
  list(JOIN problems "\n  " text)
  message(FATAL_ERROR "embed:\n  ${text}")
endif()
file(WRITE ${OUT} "${c}")
