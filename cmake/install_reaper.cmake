# At install time, when the prefix is known for good: what runs the reaper names the program there.
set(bindir "${CMAKE_INSTALL_PREFIX}/${DBLOCK_BINDIR}")
foreach(unit IN ITEMS dblock-reap.service dblock-reap.timer)
  configure_file("${DBLOCK_REAPER}/${unit}.in" "${DBLOCK_MADE}/${unit}" @ONLY)
  file(INSTALL "${DBLOCK_MADE}/${unit}" DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/systemd/system")
endforeach()
configure_file("${DBLOCK_REAPER}/crontab.in" "${DBLOCK_MADE}/crontab" @ONLY)
file(INSTALL "${DBLOCK_MADE}/crontab" DESTINATION "${CMAKE_INSTALL_PREFIX}/${DBLOCK_DOCDIR}/examples/reaper")
