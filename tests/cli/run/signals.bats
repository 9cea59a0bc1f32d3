#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Signals are passed on to the command, or end a wait.

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

# A job in the background of a script ignores INT and QUIT; one of a person's shell does not.
background_like_a_person() {
  background env --default-signal=INT,QUIT "$@"
}

# The command writes its pid to $up, and what it is sent to $got.
listener='trap "echo TERM >>$got; exit 7" TERM; trap "echo INT >>$got; exit 7" INT
trap "echo HUP >>$got; exit 7" HUP; trap "echo QUIT >>$got; exit 7" QUIT
echo $$ >$up; while :; do sleep 0.05; done'

@test "TERM, INT, HUP and QUIT reach the command, whose exit code is ours" {
  local signal
  export up got
  for signal in TERM INT HUP QUIT; do
    up=$BATS_TEST_TMPDIR/up.$signal got=$BATS_TEST_TMPDIR/got.$signal
    background_like_a_person dblock run "listens $signal" -- sh -c "$listener"
    wait_for test -s "$up"
    kill -s "$signal" "$started"
    ended "$started"
    equal "$code" 7
    equal "$(cat "$got")" "$signal"
    is_free "listens $signal"
  done
}

@test "a command ended by a signal: 128 + its number" {
  local signal number
  for signal in TERM:143 INT:130 HUP:129 QUIT:131; do
    number=${signal#*:}
    background_like_a_person dblock run "dies $signal" -- \
      sh -c 'ulimit -c 0; echo up >"$1"; exec sleep 1000' - "$BATS_TEST_TMPDIR/up.$number"
    wait_for test -s "$BATS_TEST_TMPDIR/up.$number"
    kill -s "${signal%:*}" "$started"
    ended "$started"
    equal "$code" "$number"
    is_free "dies $signal"
  done
  run -137 dblock run killed -- sh -c 'kill -KILL $$'
  is_free killed
}

@test "a signal ends the wait for the lock: 128 + its number, and the command does not run" {
  hold waited
  local signal number
  for signal in TERM:143 INT:130 HUP:129 QUIT:131; do
    number=${signal#*:}
    background_like_a_person dblock run waited -- touch "$BATS_TEST_TMPDIR/ran"
    wait_for takes_signals "$started"
    kill -s "${signal%:*}" "$started"
    ended "$started"
    equal "$code" "$number"
  done
  [ ! -e "$BATS_TEST_TMPDIR/ran" ]
  alive "$holder"
  run -75 dblock run -n waited -- true
}


@test "a signal ends the wait of acquire, too" {
  hold asked
  background dblock acquire asked --lease 1m
  wait_for takes_signals "$started"
  kill -TERM "$started"
  ended "$started"
  equal "$code" 143
}

@test "what the parent ignores stays ignored, by us and by the command" {
  hold ignoring
  background sh -c 'trap "" HUP; exec dblock run ignoring -- grep SigIgn /proc/self/status' \
    >"$BATS_TEST_TMPDIR/out"
  local waiter=$started
  wait_for takes_signals "$waiter"
  kill -HUP "$waiter"
  kill -TERM "$holder"
  ended "$waiter"
  equal "$code" 0
  local mask
  mask=$(sed -n 's/^SigIgn:[[:space:]]*//p' "$BATS_TEST_TMPDIR/out")
  (((16#$mask & 1) != 0))
}

@test "a parent that ignores CHLD does not hide the command's end" {
  run -5 sh -c 'trap "" CHLD; exec dblock run nochld -- sh -c "exit 5"'
}

# has_state PID LETTER: tells whether it is in that state; T is stopped.
has_state() {
  grep -qs "^State:[[:space:]]*$2" "/proc/$1/status"
}

# Tells whether it has a signal pending that its mask keeps from it. INT is bit 1.
has_pending_interrupt() {
  local pending
  pending=$(sed -n 's/^ShdPnd:[[:space:]]*//p' "/proc/$1/status")
  (((16#$pending & 2) != 0))
}

has_no_pending_interrupt() {
  ! has_pending_interrupt "$1"
}

# The two signals must not fall into one: dblock (its front, which the terminal reaches) is stopped
# until the command has got its own.
type_interrupt() {
  local dblock
  wait_for test -s "$up"
  dblock=$(parent_of "$(parent_of "$(cat "$up")")")
  kill -STOP "$dblock"
  wait_for has_state "$dblock" T
  printf '\003'
  wait_for test -s "$got"
  wait_for has_pending_interrupt "$dblock"
  kill -CONT "$dblock"
  wait_for has_no_pending_interrupt "$dblock"
  sleep 0.2 # a second one would come now
}

@test "^C on a terminal reaches the command once" {
  export up=$BATS_TEST_TMPDIR/up got=$BATS_TEST_TMPDIR/got end=$BATS_TEST_TMPDIR/end
  cat >"$BATS_TEST_TMPDIR/counts" <<-'END'
	trap 'echo INT >>"$got"' INT
	echo $PPID >"$up"
	until [ -e "$end" ]; do sleep 0.05; done
	exit 6
	END
  type_it() {
    trap 'touch "$end"' EXIT # also if it fails: script(1) waits for the command
    type_interrupt
    touch "$end"
    wait_for test -s "$BATS_TEST_TMPDIR/code"
  }
  type_it | SHELL=$BASH script -qc "dblock run tty -- sh '$BATS_TEST_TMPDIR/counts'
    echo \$? >'$BATS_TEST_TMPDIR/code'" /dev/null >/dev/null
  equal "$(cat "$BATS_TEST_TMPDIR/code")" 6
  equal "$(cat "$got")" INT
}
