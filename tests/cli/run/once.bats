#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock run --once: a command that is run once for each slot.

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
  T=$BATS_TEST_TMPDIR
}

teardown() {
  end_background
}

somebody_waits() {
  [ "$(number_of "$1" waiting)" = 1 ]
}

@test "it is run once for each slot; who comes later is told, and exits with 0" {
  run -0 --separate-stderr dblock run job --once monday -- sh -c 'echo "ran $DBLOCK_NAME $DBLOCK_SLOT"'
  equal "$output" "ran job monday"
  equal "$stderr" ""
  run -0 --separate-stderr dblock run job --once monday -- echo again
  equal "$output" ""
  equal "${#stderr_lines[@]}" 1
  contains "$stderr" "dblock: run: 'job': slot 'monday' was done at "
  contains "$stderr" "token $(token_of job)"
  run -0 --separate-stderr dblock -q run -n -E 9 job --once monday -- echo again
  equal "$output$stderr" ""
  run -0 dblock run job --once tuesday -- echo other
  equal "$output" other
  run -0 dblock run job -- sh -c 'echo "${DBLOCK_SLOT-none}"'
  equal "$output" none
}

@test "a command that fails leaves the slot to be done" {
  run -3 dblock run fails --once s -- sh -c 'exit 3'
  run -143 dblock run fails --once s -- sh -c 'kill -TERM $$'
  run -127 dblock run fails --once s -- /not/there
  run -0 dblock run fails --once s -- echo now
  equal "$output" now
}

@test "while somebody is at it: -n is 75; who waits is told that it is done, or has it to do" {
  hold busy --once s
  run -75 --separate-stderr dblock run -n busy --once s -- echo no
  contains "$stderr" "$keeper"
  run -75 dblock run -w 50ms busy --once another -- echo no
  background dblock run busy --once s -- touch "$T/second"
  local second=$started
  wait_for somebody_waits busy
  kill -TERM "$command"
  ended "$holder"
  equal "$code" 143
  # The run before has failed.
  ended "$second"
  equal "$code" 0
  test -e "$T/second"
}

@test "who is killed before its mark leaves the slot to who waits" {
  hold killed --once s --ttl "$(slowly 1)"
  background dblock run killed --once s -- touch "$T/second"
  local second=$started
  wait_for somebody_waits killed
  kill -KILL "$keeper" "$guardian" "$holder" "$command"
  ended "$second"
  equal "$code" 0
  test -e "$T/second"
  run -0 --separate-stderr dblock run killed --once s -- echo third
  equal "$output" ""
}

@test "a lock that was lost marks nothing" {
  hold broken --once s
  dblock break broken
  run -0 dblock run broken --once s -- true
  local token
  token=$(sql "SELECT token FROM dblock_once WHERE name = 'broken'")
  background dblock run broken2 --once s -- sh -c 'dblock break broken2'
  ended "$started"
  equal "$code" 76
  equal "$(sql "SELECT count(*) FROM dblock_once WHERE name = 'broken2'")" 0
  equal "$(sql "SELECT token FROM dblock_once WHERE name = 'broken'")" "$token"
}

@test "slots are 1 to 64 bytes; reap forgets them" {
  run -64 --separate-stderr dblock run job --once '' -- true
  contains "$stderr" "the slot is empty"
  run -64 dblock run job --once "$(printf '%065d' 0)" -- true
  run -0 dblock run job --once "$(printf '%064d' 0)" -- true
  sql "UPDATE dblock_once SET marked = marked - 401 * 86400000000 WHERE name = 'job'"
  run -0 dblock reap --keep-marks 402d
  contains "$output" "marks deleted: 0"
  run -0 dblock --json reap
  contains "$output" '"marks_deleted":'
  lacks "$output" '"marks_deleted":0'
  run -0 dblock run job --once "$(printf '%064d' 0)" -- echo again
  equal "$output" again
}
