#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock latch: counting down, and waiting for that.

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
  sql 'DELETE FROM dblock_latch'
}

@test "create, down, show, reset" {
  run -0 dblock latch create l -n 3
  equal "$output" "3 of 3"
  run -0 dblock latch down l
  equal "$output" 2
  run -0 dblock latch create l -n 3
  equal "$output" "2 of 3"
  run -0 dblock latch down l -n 5
  equal "$output" 0
  run -0 dblock latch wait l
  run -0 dblock latch reset l -n 4
  equal "$output" "4 of 4"
  run -0 dblock latch show l
  equal "$output" "4 of 4"
}

@test "a request counts once" {
  dblock -q latch create l -n 3
  equal "$(dblock latch down l --request 7)" 2
  equal "$(dblock latch down l --request 7)" 2
  equal "$(dblock latch down l --request 8)" 1
}

@test "what is wrong is said" {
  run -1 dblock latch down none
  contains "$output" "create it first"
  run -64 dblock latch create l
  contains "$output" "--count is missing"
  dblock -q latch create l -n 3
  run -64 dblock latch create l -n 4
  contains "$output" "has a count of 3 already"
  run -75 dblock latch wait l -w 0
  run -75 dblock latch wait l -w 10ms
  contains "$output" "3 of 3 are yet to count down"
  run -64 dblock latch create l -n 10001
}

waits() {
  [ "$(sql "SELECT count(*) FROM dblock_queue WHERE name = 'latch:l' AND token IS NOT NULL")" = 1 ]
}

@test "who waits is woken, told of a reset, or ended by a signal" {
  dblock -q latch create l -n 1
  dblock latch wait l &
  wait_for waits
  dblock latch down l
  wait $!
  dblock latch reset l
  dblock latch wait l 2>"$BATS_TEST_TMPDIR/told" &
  wait_for waits
  dblock latch reset l
  code=0
  wait $! || code=$?
  equal $code 76
  contains "$(cat "$BATS_TEST_TMPDIR/told")" "was reset"
  dblock latch wait l &
  wait_for waits
  kill -TERM $!
  code=0
  wait $! || code=$?
  equal $code 143
}
