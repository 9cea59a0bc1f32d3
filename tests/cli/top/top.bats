#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock top -b: what it tells, for a file.

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
}

teardown() {
  end_background
}

# Prints the names in order.
names_of() {
  dblock top -b -n 1 "$@" | sed '1,/^NAME /d' | awk '{ printf "%s%s", sep, $1; sep = " " }'
}

@test "who holds what, the longest line first, and the numbers of all" {
  hold top-a
  hold top-b
  dblock acquire top-c --lease 1h
  background dblock run top-b -- true
  background dblock run top-b -- true
  wait_for eval '[ "$(number_of top-b waiting)" = 2 ]'
  run -0 --separate-stderr dblock top -b -n 1
  equal "$stderr" ""
  [[ ${lines[0]} =~ ^dblock\ top\ -\ [0-9:]{8},\ every\ 2s,\  ]]
  # Two that hold, two that wait; and that of `acquire`, which is closed, holds nothing.
  [[ ${lines[1]} =~ ^Sessions:\ [4-9]\ alive,\ 0\ late,\ [0-9]\ dead\ +Held:\ 3,\ 0\ dead,\ 0\ missing$ ]]
  [[ ${lines[2]} =~ ^Waiting:\ 2,\ oldest\ [0-9] ]]
  equal "${lines[3]}" "Shown: 1 to 3 of 3, by line"
  [[ $output =~ top-b\ +session\ +2\ +[0-9.]+m?s\ +[0-9.]+m?s\ +[0-9]+s\ +exclusive\ +[^\ ]+:[0-9]+\ +dblock ]]
  [[ $output =~ top-c\ +lease\ +-\ +-\ +[0-9.]+m?s\ +59m[0-9]*s? ]]
  equal "$(names_of)" "top-b top-a top-c"
  equal "$(names_of -o age)" "top-a top-b top-c"
  equal "$(names_of -o age -R)" "top-c top-b top-a"
  equal "$(names_of --sort name)" "top-a top-b top-c"
  equal "$(names_of -o wait 'top-?' | cut -c 1-5)" top-b
  equal "$(COLUMNS=60 dblock top -b -n 1 | wc -L)" 60
}

@test "a name that is waited for and that nobody holds is there" {
  hold gap
  background dblock run gap -- true
  wait_for eval '[ "$(number_of gap waiting)" = 1 ]'
  # Its holder lets go, and whoever waits is stopped, so that it cannot take it.
  stop_between_writes "$started" $(pgrep -P "$started")
  sql "UPDATE dblock_lock SET session = NULL, expires = NULL WHERE name = 'gap'"
  run -0 dblock top -b -n 1 gap
  [[ $output =~ gap\ +free\ +1\ +[0-9.]+m?s\ +-\ +-\ +- ]]
}

@test "grants that were not there in the look before are counted as so many a second" {
  local out=$BATS_TEST_TMPDIR/out token
  dblock acquire new-9 --lease 1h # one that is there all the time, behind the others
  background dblock --json top -d 100ms 'new-*' >"$out"
  wait_for eval '[ "$(wc -l <"$out")" -ge 2 ]'
  contains "$(sed -n 1p "$out")" '"new_per_s":null'
  contains "$(sed -n 2p "$out")" '"new_per_s":0.0'
  token=$(dblock acquire new-1 --lease 1h)
  wait_for grep -q '"new_per_s":[0-9.]*[1-9]' "$out"
  equal "$(grep -c '"new_per_s":[0-9.]*[1-9]' "$out")" 1
  # The same name in other hands is another grant.
  dblock release new-1 "$token"
  dblock acquire new-1 --lease 1h
  wait_for eval '[ "$(grep -c "\"new_per_s\":[0-9.]*[1-9]" "$out")" = 2 ]'
  # Names that were not asked for do not count.
  dblock acquire other --lease 1h
  wait_for eval '[ "$(tail -n 1 "$out" | grep -c "\"held\":[0-9]*[1-9],")" = 1 ]'
  equal "$(grep -c '"new_per_s":[0-9.]*[1-9]' "$out")" 2
  kill -TERM "$started"
  ended "$started"
  equal "$code" 143
}

@test "what it cannot do is told before a database is asked" {
  local args
  for args in "--sort size" "-n 0" "-d 1ms" "--color red"; do
    run -64 dblock -u sqlite:/no/such/folder/db top -b $args
  done
  run -64 dblock -u sqlite:/no/such/folder/db top
  contains "$output" "use -b"
}

@test "no password is on the screen" {
  [ "$DBLOCK_TEST_BACKEND" != sqlite ] || skip "a file has none"
  local url=${DBLOCK_URL/:\/\/*@/://}
  run -0 dblock top -b -n 1
  lacks "${lines[0]}" "@"
  contains "${lines[0]}" "${url%%\?*}"
}
