#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Many processes at once, and a holder that is killed.

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

# With ./dev test strikes each makes 25 increments.
@test "20 processes x 8 increments of a number in a file: none is lost" {
  local file=$BATS_TEST_TMPDIR/number i pids=() times=${DBLOCK_STRIKE_ALL:+25}
  : "${times:=8}"
  echo 0 >"$file"
  # The number stands on one line of a file that is empty for a moment at each change, so that two
  # at once would be seen.
  cat >"$BATS_TEST_TMPDIR/increment" <<-'END'
	read -r n <"$1" && echo $((n + 1)) >"$1"
	END
  cat >"$BATS_TEST_TMPDIR/worker" <<-'END'
	i=0
	while [ $((i += 1)) -le "$2" ]; do
	  dblock run counter -- sh "$1/increment" "$1/number" || exit
	done
	END
  for ((i = 0; i < 20; i++)); do
    background sh "$BATS_TEST_TMPDIR/worker" "$BATS_TEST_TMPDIR" "$times"
    pids+=("$started")
  done
  for i in "${pids[@]}"; do
    ended "$i"
    equal "$code" 0
  done
  equal "$(cat "$file")" $((20 * times))
}

# The keeper of that `dblock run` has a second thread once it is connected and tries.
is_trying() {
  local keeper
  keeper=$(pgrep -P "$1" -x dblock-keeper) &&
    [ "$(sed -n 's/^Threads:[[:space:]]*//p' "/proc/$keeper/status")" -ge 2 ]
}

@test "kill -9 of a holder with a ttl: the next one's command starts within one and a half of it" {
  local ttl
  ttl=$(slowly 3)
  hold doomed --ttl "$ttl"
  background dblock run doomed -- sh -c 'date +%s%3N >"$1"' - "$BATS_TEST_TMPDIR/started"
  local waiter=$started killed began
  wait_for is_trying "$waiter"
  killed=$(now_ms)
  kill -KILL "$keeper"
  ended "$waiter"
  equal "$code" 0
  began=$(cat "$BATS_TEST_TMPDIR/started")
  echo "began $((began - killed)) ms after the kill"
  ((began - killed <= ${ttl%s} * 1500))
  # The lock must not come before the dead one's own deadline: its last heartbeat was a third of its
  # ttl ago at most.
  ((began - killed >= ${ttl%s} * 500))
}

@test "a living holder keeps its lock far beyond its ttl" {
  hold lives --ttl "$(slowly 2)"
  run -75 dblock run -w "$(slowly 7)" lives -- true
  alive "$holder"
  kill -TERM "$holder"
  ended "$holder"
  equal "$code" 143
}
