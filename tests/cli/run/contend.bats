#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Many processes at once.

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

@test "a living holder keeps its lock far beyond its ttl" {
  hold lives --ttl "$(slowly 2)"
  run -75 dblock run -w "$(slowly 7)" lives -- true
  alive "$holder"
  kill -TERM "$holder"
  ended "$holder"
  equal "$code" 143
}
