# MySQL has two servers and two client libraries. The tests run on MariaDB with the client library
# that the library is built with, and on MySQL with Oracle's own: what includes <mysql.h> is compiled
# twice, and all programs are linked twice. Oracle's is made for a newer C library than Debian 12's,
# which comes with it: the programs name its loader, and find the libraries beside that. Debian 12's
# sanitizers go with it; valgrind does not start, for want of that loader's symbols.
set(DBLOCK_TEST_MYSQL "" CACHE PATH
  "the folder that tests/servers/get-mysql has filled; empty: nothing runs on MySQL")
if(NOT DBLOCK_TEST_MYSQL OR NOT "mysql" IN_LIST DBLOCK_DRIVERS)
  return()
endif()
list(APPEND databases mysql)
set(mysql_build ${PROJECT_BINARY_DIR}/on-mysql)

file(GLOB loader ${DBLOCK_TEST_MYSQL}/lib/ld-linux*.so.*)
set(from_there LINKER:-rpath,${DBLOCK_TEST_MYSQL}/lib,--disable-new-dtags,--allow-shlib-undefined)
add_library(dbl_libmysqlclient INTERFACE)
target_include_directories(dbl_libmysqlclient SYSTEM INTERFACE ${DBLOCK_TEST_MYSQL}/include
  ${DBLOCK_TEST_MYSQL}/include/mysql)
target_link_libraries(dbl_libmysqlclient INTERFACE ${DBLOCK_TEST_MYSQL}/link/libmysqlclient.so)
list(TRANSFORM DBLOCK_DRIVERS PREPEND dbl_client_ OUTPUT_VARIABLE clients)
list(TRANSFORM clients REPLACE "^dbl_client_mysql$" dbl_libmysqlclient)

# What is made again has _mysql behind its name: the driver's floor, and the library.
get_target_property(sources dbl_driver_mysql SOURCES)
dbl_floor(driver/mysql_mysql ${sources})
target_link_libraries(dbl_driver_mysql_mysql PUBLIC dbl_libmysqlclient)
add_library(dblock_mysql SHARED)
foreach(floor IN LISTS DBLOCK_FLOORS)
  string(REGEX REPLACE "^driver/mysql$" "driver/mysql_mysql" floor ${floor})
  dbl_floor_target(${floor} objects)
  target_sources(dblock_mysql PRIVATE $<TARGET_OBJECTS:${objects}>)
endforeach()
target_link_libraries(dblock_mysql PRIVATE ${clients} PkgConfig::dbl_nettle Threads::Threads)
target_link_options(dblock_mysql PRIVATE ${from_there})
set_target_properties(dblock_mysql PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME dblock
  LIBRARY_OUTPUT_DIRECTORY ${mysql_build}/src VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR})

# dbl_link_on_mysql(target [FOLDER]): <target>.mysql, of the same objects; in FOLDER with target's own
# name, for who looks for it there.
function(dbl_link_on_mysql target)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  list(TRANSFORM libraries REPLACE "^(dbl_driver_mysql|dblock)$" "\\1_mysql")
  add_executable(${target}.mysql $<TARGET_OBJECTS:${target}>)
  target_link_libraries(${target}.mysql PRIVATE ${libraries})
  target_link_options(${target}.mysql PRIVATE ${from_there} LINKER:--dynamic-linker=${loader}
    $<TARGET_PROPERTY:${target},LINK_OPTIONS>)
  set(language C)
  get_target_property(sources ${target} SOURCES)
  if(sources MATCHES "[.]cpp")
    set(language CXX)
  endif()
  set_target_properties(${target}.mysql PROPERTIES LINKER_LANGUAGE ${language})
  if(ARGN)
    set_target_properties(${target}.mysql PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${mysql_build}/${ARGN}
      OUTPUT_NAME $<TARGET_FILE_BASE_NAME:${target}>)
  endif()
endfunction()

# dbl_on_mysql(VARIABLE): the command in it has that one for its program, if it is one of ours.
function(dbl_on_mysql variable)
  if("${${variable}}" MATCHES "^\\$<TARGET_FILE:(.*)>$")
    dbl_link_on_mysql(${CMAKE_MATCH_1})
    set(${variable} $<TARGET_FILE:${CMAKE_MATCH_1}.mysql> PARENT_SCOPE)
  endif()
endfunction()

dbl_link_on_mysql(dblock_cli src/cli)
file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME_WE)
  dbl_link_on_mysql(${name} examples)
endforeach()
if(TARGET cpp_hello)
  dbl_link_on_mysql(cpp_hello examples)
endif()
