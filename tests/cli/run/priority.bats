#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock run --priority N: who waits with it, and where in line.

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

# waits N PRIORITY: one more waits, as the N-th, and writes its priority into the file `order`
waits() {
  background dblock run --priority "$2" x -- sh -c 'echo "$1" >>"$2"' - "$2" "$BATS_TEST_TMPDIR/order"
  wait_for in_line "$1"
}

in_line() {
  [ "$(dblock --json ls --waiters x | grep -c '"priority"')" = "$1" ]
}

@test "a higher class first, within a class who came first; ls says who is where" {
  hold x
  waits 1 0
  waits 2 -1
  waits 3 7
  run -0 dblock ls --waiters x
  contains "${lines[1]}" " 2 "
  contains "${lines[2]}" "exclusive, priority -1"
  contains "${lines[3]}" " 1 "
  contains "${lines[3]}" "exclusive, priority 7"
  run -0 dblock show x
  contains "$output" "exclusive, priority 7"
  run -0 dblock --json show x
  contains "$output" '"priority":7'
  dblock break x >/dev/null
  wait_for in_order
  run -0 dblock ls
  contains "$output" "nothing is held"
}

in_order() {
  [ "$(paste -sd ' ' "$BATS_TEST_TMPDIR/order" 2>/dev/null)" = "7 0 -1" ]
}

@test "with permits, shared, any of several, once" {
  run -0 dblock run --priority 2 -p 1/2 pool -- echo one
  run -0 dblock run --priority -2 -s readers -- echo two
  run -0 dblock run --priority 10 --any gpu0,gpu1 -- sh -c 'echo "$DBLOCK_NAME"'
  equal "$output" gpu0
  run -0 dblock run --priority 1 --once monday job -- echo three
  equal "$output" three
  run -0 dblock acquire --priority 1 --lease 1m lease
}

@test "what cannot be" {
  run -64 dblock run --priority 11 x -- true
  contains "$output" "--priority: '11' is not a number from -10 to 10"
  run -64 dblock run --priority high x -- true
  contains "$output" "'high' is not a number from -10 to 10"
  run -64 dblock run --priority 3 --also y x -- true
  contains "$output" "--also and --priority do not go together"
  run -64 dblock run --priority 3 --tree a/b -- true
  contains "$output" "--tree and --priority do not go together"
}
