# At install time, when the prefix is known for good: what runs the reaper, and what tells metrics, names the
# program there.
set(bindir "${CMAKE_INSTALL_PREFIX}/${DBLOCK_BINDIR}")
foreach(unit IN ITEMS reaper/dblock-reap.service reaper/dblock-reap.timer metrics/dblock-metrics.service)
  configure_file("${DBLOCK_EXAMPLES}/${unit}.in" "${DBLOCK_MADE}/${unit}" @ONLY)
  file(INSTALL "${DBLOCK_MADE}/${unit}" DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/systemd/system")
endforeach()
configure_file("${DBLOCK_EXAMPLES}/reaper/crontab.in" "${DBLOCK_MADE}/reaper/crontab" @ONLY)
file(INSTALL "${DBLOCK_MADE}/reaper/crontab"
  DESTINATION "${CMAKE_INSTALL_PREFIX}/${DBLOCK_DOCDIR}/examples/reaper")
