# install, pkg-config, find_package(dblock)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The library, in two export sets: only who links the static one needs the client libraries' own
# development files.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dblock)
set_target_properties(dblock_static PROPERTIES EXPORT_NAME dblock_static)
foreach(target IN ITEMS dblock dblock_static)
  install(TARGETS ${target} EXPORT ${target})
  install(EXPORT ${target} NAMESPACE dblock:: DESTINATION ${package_dir} FILE ${target}.cmake)
endforeach()
configure_package_config_file(cmake/dblockConfig.cmake.in
  ${PROJECT_BINARY_DIR}/dblockConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dblockConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dblockConfig.cmake
  ${PROJECT_BINARY_DIR}/dblockConfigVersion.cmake DESTINATION ${package_dir})

install(DIRECTORY include/dblock ${PROJECT_BINARY_DIR}/include/dblock
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# dblock.pc. The client libraries and libmd stand in Libs.private, not in Requires.private: that would make
# even `pkg-config --cflags dblock` ask for their development files.
set(pc_libs_private "")
foreach(name IN LISTS DBLOCK_DRIVERS ITEMS md)
  list(JOIN dbl_${name}_LDFLAGS " " flags)
  string(APPEND pc_libs_private " ${flags}")
endforeach()
file(RELATIVE_PATH pc_prefix
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix ${pc_prefix})
configure_file(cmake/dblock.pc.in ${PROJECT_BINARY_DIR}/dblock.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dblock.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The program finds the library next to it, wherever both are moved. With it: its man pages, and how
# to run the reaper.
if(TARGET dblock_cli)
  file(RELATIVE_PATH to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(dblock_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
  install(TARGETS dblock_cli)
  file(GLOB man CONFIGURE_DEPENDS docs/man/*.1)
  install(FILES ${man} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(DIRECTORY examples/reaper DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
endif()

# Every statement that the library sends, for people to read.
install(DIRECTORY sql migrations DESTINATION ${CMAKE_INSTALL_DATADIR}/dblock
  FILES_MATCHING PATTERN "*.sql")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
