#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Many reapers run at once; they have their own database, as the tests count what they do.

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

looks_expired() {
  (($(number_of "$1" left_ms) < 0))
}

@test "ten reapers at once bury a session once, and free its lock once" {
  hold contested --ttl "$(slowly 1)"
  kill -KILL "$keeper"
  wait_for looks_expired contested
  local i pids=() buried=0 freed=0 out
  for ((i = 0; i < 10; i++)); do
    background dblock --json reap >"$BATS_TEST_TMPDIR/reap.$i"
    pids+=("$started")
  done
  for ((i = 0; i < 10; i++)); do
    ended "${pids[i]}"
    equal "$code" 0
    out=$(cat "$BATS_TEST_TMPDIR/reap.$i")
    [[ $out =~ \"sessions_buried\":([0-9]+),\"locks_freed\":([0-9]+), ]]
    buried=$((buried + BASH_REMATCH[1]))
    freed=$((freed + BASH_REMATCH[2]))
  done
  equal "$buried/$freed" 1/1
  is_free contested
}
