# The floors of the architecture, lowest first, and the modules of a floor, which are floors within it.
# A call or an include only goes down: each is an OBJECT library, and the unit tests of one link it
# and what is below it only (tests/lint/floors reads the includes against this very list).
set(DBLOCK_FLOORS base driver driver/sqlite driver/postgresql driver/mysql sql link session
  lock/core lock/rate lock/notify lock/handle lock/queue lock/grant lock/cache lock/watch lock/admin lock/wait
  lock/tx lock lock/recipes lock/quorum
  migrate/parse migrate/lint migrate/set migrate/history migrate/foreign migrate/report migrate/engine
  migrate/command
  doctor row outbox global api)

# A driver's floor is there if its client library is.
foreach(name IN ITEMS sqlite postgresql mysql)
  if(NOT name IN_LIST DBLOCK_DRIVERS)
    list(REMOVE_ITEM DBLOCK_FLOORS driver/${name})
  endif()
endforeach()

# The modules of src/cli, likewise: on them stand the program's main() and the commands beside it.
set(DBLOCK_CLI_MODULES ui metrics complete lock pool top migrate/file migrate/import migrate run outbox rate meet global)

find_package(Threads REQUIRED)

# The library that the floor's objects are in: dbl_base, dbl_lock_core.
function(dbl_floor_target name out)
  string(REPLACE "/" "_" name ${name})
  set(${out} dbl_${name} PARENT_SCOPE)
endfunction()

function(dbl_floor name)
  dbl_floor_target(${name} target)
  add_library(${target} OBJECT ${ARGN})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C) # where there are headers only
  target_include_directories(${target} PUBLIC
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
  target_link_libraries(${target} PRIVATE dbl_warnings Threads::Threads)
endfunction()

# The object libraries of floor `name` and of all below it. lock, migrate, doctor and row are wings of
# one floor: none sees another, and only lock stands on the session.
function(dbl_floors_up_to name out)
  if(NOT name IN_LIST DBLOCK_FLOORS)
    message(FATAL_ERROR "dblock: ${name} is not in DBLOCK_FLOORS")
  endif()
  set(floors ${DBLOCK_FLOORS})
  if(name MATCHES "^(migrate|doctor|row)(/|$)")
    set(wing ${CMAKE_MATCH_1})
    set(others session lock migrate doctor row)
    list(REMOVE_ITEM others ${wing})
    list(JOIN others "|" others)
    list(FILTER floors EXCLUDE REGEX "^(${others})(/|$)")
  endif()
  set(targets "")
  foreach(floor IN LISTS floors)
    dbl_floor_target(${floor} target)
    list(APPEND targets ${target})
    if(floor STREQUAL name)
      break()
    endif()
  endforeach()
  set(${out} ${targets} PARENT_SCOPE)
endfunction()
