#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock barrier: commands that begin together, and end together.

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
  T=$BATS_TEST_TMPDIR
  sql 'DELETE FROM dblock_latch'
}

# party N CMD...: in the background; its exit code goes to a file.
party() {
  { dblock barrier b -n "$1" -- "${@:2}" 2>>"$T/said" || echo $?; } >"$T/code.$BASHPID" &
}

codes() {
  cat "$T"/code.* | sort | tr '\n' ' '
}

# arrived N
arrived() {
  [ "$(sql "SELECT count(*) FROM dblock_queue q JOIN dblock_latch b ON b.name = q.name WHERE q.token IS NOT NULL
    AND q.value LIKE '%#%' AND q.value NOT LIKE '-%'")" = "$1" ]
}

@test "nobody begins before all are there, and nobody ends before all have ended" {
  party 3 sh -c ": >'$T/begun.1'; : >'$T/over.1'"
  party 3 sh -c ": >'$T/begun.2'; : >'$T/over.2'"
  wait_for arrived 2
  [ ! -e "$T/begun.1" ] && [ ! -e "$T/begun.2" ]
  run -0 dblock barrier b -n 3 -- sh -c ": >'$T/begun.3'; until [ -e '$T/over.1' ] && [ -e '$T/over.2' ]; do sleep 0.01; done; : >'$T/over.3'"
  wait
  [ -e "$T/begun.1" ] && [ -e "$T/begun.2" ]
  equal "$(codes)" ""
}

@test "without a command it ends when all are there" {
  dblock barrier b -n 2 &
  run -0 dblock barrier b -n 2
  wait $!
}

@test "the exit code is the command's" {
  party 2 true
  run -3 dblock barrier b -n 2 -- sh -c 'exit 3'
  wait
  equal "$(codes)" ""
  party 2 sh -c "until [ -e '$T/refused' ]; do sleep 0.01; done"
  run -127 dblock barrier b -n 2 -- /no/such/command
  contains "$output" "No such file"
  : >"$T/refused"
  wait
  equal "$(codes)" "76 " # it did not stay until the others had ended
  run -143 dblock barrier b -n 1 -- sh -c 'kill -TERM $$'
}

@test "who does not come in time: 75, and the others are told: 76" {
  party 3 true
  wait_for arrived 1
  run -75 dblock barrier b -n 3 -w 50ms -- touch "$T/ran"
  contains "$output" "2 of 3 have come"
  wait
  equal "$(codes)" "76 "
  contains "$(cat "$T/said")" "gave up"
  [ ! -e "$T/ran" ]
}

@test "who is killed is seen at once, and its command ends" {
  dblock barrier b -n 2 -- sh -c "echo \$\$ >'$T/pid'; exec sleep 600" &
  victim=$!
  party 2 sh -c "until [ -e '$T/killed' ]; do sleep 0.01; done"
  wait_for test -s "$T/pid"
  kill -KILL $victim
  : >"$T/killed"
  wait
  equal "$(codes)" "76 "
  gone() { ! kill -0 "$(cat "$T/pid")" 2>/dev/null; }
  wait_for gone
}

@test "another number of parties is refused" {
  party 2 true
  wait_for arrived 1
  run -64 dblock barrier b -n 3
  contains "$output" "not with 3 parties"
  run -0 dblock barrier b -n 2
  wait
  run -64 dblock barrier b
  contains "$output" "--parties is missing"
}

@test "a signal goes to the command, and ends a wait" {
  dblock barrier b -n 1 -- sh -c "trap 'exit 5' TERM; : >'$T/up'; while :; do sleep 0.01; done" &
  wait_for test -e "$T/up"
  kill -TERM $!
  code=0
  wait $! || code=$?
  equal $code 5
  dblock barrier b -n 2 &
  wait_for arrived 1
  kill -INT $! || true
  kill -TERM $!
  code=0
  wait $! || code=$?
  [ $code -gt 128 ]
}
