# The floors of the architecture, lowest first. A call or an include only goes down: each floor is
# an OBJECT library, and the unit tests of floor n link floors 0..n only (tests/lint/floors reads
# the includes against this very list).
set(DBLOCK_FLOORS base driver sql link session lock migrate doctor row api)

find_package(Threads REQUIRED)

function(dbl_floor name)
  add_library(dbl_${name} OBJECT ${ARGN})
  target_include_directories(dbl_${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
  target_link_libraries(dbl_${name} PRIVATE dbl_warnings Threads::Threads)
endfunction()

# The object libraries of floor `name` and of all below it. lock, migrate, doctor and row are wings of
# one floor: none sees another, and only lock stands on the session.
function(dbl_floors_up_to name out)
  set(others "")
  if(name MATCHES "^(migrate|doctor|row)$")
    set(others session lock migrate doctor row)
    list(REMOVE_ITEM others ${name})
  endif()
  set(floors "")
  foreach(floor IN LISTS DBLOCK_FLOORS)
    if(NOT floor IN_LIST others)
      list(APPEND floors dbl_${floor})
    endif()
    if(floor STREQUAL name)
      break()
    endif()
  endforeach()
  set(${out} ${floors} PARENT_SCOPE)
endfunction()
