# Each driver is an option: AUTO (on if its library is found), ON (an error if it is not), OFF.
# Sets DBLOCK_DRIVERS, and a target dbl_client_<name> for each one's client library.
find_package(PkgConfig REQUIRED)

set(DBLOCK_DRIVERS "")

# dbl_driver(name ENABLE_OPTION pkg-config-name...): the first package found is used.
function(dbl_driver name option)
  set(${option} AUTO CACHE STRING "driver for ${name}: AUTO, ON or OFF")
  set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
  if(${option} STREQUAL "OFF")
    return()
  endif()
  foreach(package IN LISTS ARGN)
    pkg_check_modules(dbl_${name} QUIET IMPORTED_TARGET ${package})
    if(dbl_${name}_FOUND)
      add_library(dbl_client_${name} INTERFACE)
      target_link_libraries(dbl_client_${name} INTERFACE PkgConfig::dbl_${name})
      set(DBLOCK_DRIVERS ${DBLOCK_DRIVERS} ${name} PARENT_SCOPE)
      set(DBLOCK_REQUIRES_${name} ${package} PARENT_SCOPE)
      message(STATUS "dblock: driver ${name} on ${package} ${dbl_${name}_VERSION}")
      return()
    endif()
  endforeach()
  if(${option} STREQUAL "AUTO")
    message(STATUS "dblock: no driver ${name}: none of (${ARGN}) found by pkg-config")
  else()
    message(FATAL_ERROR "dblock: ${option}=ON, but pkg-config finds none of: ${ARGN}")
  endif()
endfunction()

dbl_driver(sqlite DBLOCK_SQLITE sqlite3)
dbl_driver(postgresql DBLOCK_POSTGRESQL libpq)
dbl_driver(mysql DBLOCK_MYSQL mysqlclient libmariadb)

if(NOT DBLOCK_DRIVERS)
  message(FATAL_ERROR "dblock: no database driver can be built; install the development files of "
    "SQLite (libsqlite3-dev), PostgreSQL (libpq-dev) or MySQL (libmariadb-dev), and leave at least "
    "one of DBLOCK_SQLITE, DBLOCK_POSTGRESQL and DBLOCK_MYSQL at AUTO or ON")
endif()

# Whatever the driver: SHA-256, for the checksums of migrations.
pkg_check_modules(dbl_nettle QUIET IMPORTED_TARGET nettle)
if(NOT dbl_nettle_FOUND)
  message(FATAL_ERROR "dblock: pkg-config finds no nettle; install its development files (nettle-dev)")
endif()
