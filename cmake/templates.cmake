# Turns sql/templates/<dialect>/<name>.{up,down}.sql, what `dblock migrate new` begins a migration
# with, into C. Called as: cmake -D OUT=file.c -D ROOT=... -P templates.cmake
# Fails on what is not a pair.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/embed_text.cmake)

set(c "/* Made by cmake/templates.cmake from sql/templates/. */\n#include \"cli/migrate/draft.h\"\n\n")
set(table "")

file(GLOB files RELATIVE ${ROOT}/sql/templates ${ROOT}/sql/templates/*/*)
list(SORT files)
foreach(file IN LISTS files)
  if(NOT file MATCHES "^([a-z]+)/([a-z]+)\\.(up|down)\\.sql$")
    message(FATAL_ERROR "templates: sql/templates/${file}: should be <dialect>/<name>.up.sql or .down.sql")
  endif()
  set(dialect ${CMAKE_MATCH_1})
  set(name ${CMAKE_MATCH_2})
  foreach(way IN ITEMS up down)
    if(NOT "${dialect}/${name}.${way}.sql" IN_LIST files)
      message(FATAL_ERROR "templates: missing: sql/templates/${dialect}/${name}.${way}.sql")
    endif()
  endforeach()
  if(CMAKE_MATCH_3 STREQUAL "up")
    embed_file(${ROOT}/sql/templates/${dialect}/${name}.up.sql up_${dialect}_${name})
    embed_file(${ROOT}/sql/templates/${dialect}/${name}.down.sql down_${dialect}_${name})
    string(APPEND table
      "\t{\"${dialect}\", \"${name}\", up_${dialect}_${name}, down_${dialect}_${name}},\n")
  endif()
endforeach()
file(WRITE ${OUT} "${c}const struct dbl_template dbl_templates[] = {\n${table}"
  "\t{NULL, NULL, NULL, NULL}};\n")
