# install, pkg-config, find_package(dblock)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The library, in two export sets: only who links the static one needs the client libraries' own
# development files.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dblock)
set_target_properties(dblock_static PROPERTIES EXPORT_NAME dblock_static)
set(libraries dblock)
option(DBLOCK_STATIC "build and install the static library, too" ON)
if(DBLOCK_STATIC)
  list(APPEND libraries dblock_static)
else()
  set_target_properties(dblock_static PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
foreach(target IN LISTS libraries)
  install(TARGETS ${target} EXPORT ${target})
  install(EXPORT ${target} NAMESPACE dblock:: DESTINATION ${package_dir} FILE ${target}.cmake)
endforeach()
configure_package_config_file(cmake/dblockConfig.cmake.in ${PROJECT_BINARY_DIR}/dblockConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dblockConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dblockConfig.cmake
  ${PROJECT_BINARY_DIR}/dblockConfigVersion.cmake cmake/dblock_embed_migrations.cmake DESTINATION ${package_dir})

install(DIRECTORY include/dblock ${PROJECT_BINARY_DIR}/include/dblock
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

# dblock.pc. The client libraries and nettle stand in Libs.private, not in Requires.private: that would make
# even `pkg-config --cflags dblock` ask for their development files.
set(pc_libs_private "")
foreach(name IN LISTS DBLOCK_DRIVERS ITEMS nettle)
  list(JOIN dbl_${name}_LDFLAGS " " flags)
  string(APPEND pc_libs_private " ${flags}")
endforeach()
file(RELATIVE_PATH pc_prefix
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix ${pc_prefix})
configure_file(cmake/dblock.pc.in ${PROJECT_BINARY_DIR}/dblock.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dblock.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The program finds the library next to it, wherever both are moved. With it: its man pages, and how
# to run the reaper and the metrics.
if(TARGET dblock_cli)
  file(RELATIVE_PATH to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(dblock_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}" BUILD_RPATH_USE_ORIGIN ON)
  # What runs it by itself names it where it is: which is known when it is installed.
  install(CODE "set(DBLOCK_BINDIR \"${CMAKE_INSTALL_BINDIR}\")
    set(DBLOCK_DOCDIR \"${CMAKE_INSTALL_DOCDIR}\")
    set(DBLOCK_EXAMPLES \"${PROJECT_SOURCE_DIR}/examples\")
    set(DBLOCK_MADE \"${PROJECT_BINARY_DIR}/units\")")
  install(SCRIPT cmake/install_units.cmake)
  install(TARGETS dblock_cli)
  install(FILES docs/man/dblock.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES docs/man/dblock.conf.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)

  # Where each shell looks. Debian's zsh leaves its site-functions to the administrator.
  set(DBLOCK_ZSH_FUNCTIONS ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING
    "where zsh looks for completion functions")
  set(scripts src/cli/complete)
  install(FILES ${scripts}/dblock.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME dblock)
  install(FILES ${scripts}/dblock.zsh DESTINATION ${DBLOCK_ZSH_FUNCTIONS} RENAME _dblock)
  install(FILES ${scripts}/dblock.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# Every statement that the library sends, for people to read: as it is sent, so without sql/common.
install(DIRECTORY ${PROJECT_BINARY_DIR}/src/sent/ DESTINATION ${CMAKE_INSTALL_DATADIR}/dblock/sql)
install(DIRECTORY sql/templates DESTINATION ${CMAKE_INSTALL_DATADIR}/dblock/sql)
install(DIRECTORY migrations DESTINATION ${CMAKE_INSTALL_DATADIR}/dblock)

# What the headers point to, and what that points to, laid out as it is here.
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
  PATTERN man EXCLUDE PATTERN site EXCLUDE PATTERN CMakeLists.txt EXCLUDE PATTERN "*.in" EXCLUDE)

# A page of section 3 for each public function, made of the comment above it.
find_program(DBLOCK_AWK NAMES mawk gawk awk)
install(FILES docs/man/dblock.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
if(DBLOCK_AWK)
  set(man3 ${PROJECT_BINARY_DIR}/man3)
  file(GLOB headers CONFIGURE_DEPENDS include/dblock/*.h)
  list(APPEND headers ${PROJECT_BINARY_DIR}/include/dblock/version.h)
  add_custom_command(OUTPUT ${man3}/made
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${man3}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${man3}
    COMMAND ${DBLOCK_AWK} -v out=${man3} -v version=${PROJECT_VERSION}
      -f ${PROJECT_SOURCE_DIR}/cmake/man3.awk ${headers}
    COMMAND ${CMAKE_COMMAND} -E touch ${man3}/made
    DEPENDS ${headers} ${PROJECT_SOURCE_DIR}/cmake/man3.awk
    COMMENT "Making man pages of the headers" VERBATIM)
  add_custom_target(dblock_man ALL DEPENDS ${man3}/made)
  install(DIRECTORY ${man3} DESTINATION ${CMAKE_INSTALL_MANDIR} FILES_MATCHING PATTERN "*.3")
else()
  message(STATUS "dblock: no man pages of section 3, since there is no awk")
endif()
