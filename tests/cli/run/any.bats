#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock run --any NAME,NAME: one of several locks.

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

@test "the first that is free; the command is told which" {
  run -0 dblock run --any gpu0,gpu1 -- sh -c 'echo "$DBLOCK_NAME $DBLOCK_TOKEN"; echo "$DBLOCK_TOKENS"'
  [[ ${lines[0]} =~ ^gpu0\ ([0-9]+)$ ]]
  equal "${lines[1]}" "${BASH_REMATCH[1]} gpu0"
  hold gpu0
  run -0 dblock run --any gpu0,gpu1 sh -c 'echo "$DBLOCK_NAME"'
  equal "$output" gpu1
  # shellcheck disable=SC2016 # the run's shell is to expand it
  run -0 dblock run -n --any gpu0 --any gpu1 -c 'echo $DBLOCK_NAME'
  equal "$output" gpu1
  run -0 dblock run --any 'gpu0,a\,b' -- sh -c 'echo "$DBLOCK_NAME"'
  equal "$output" 'a,b'
}

@test "none is free: busy says so; who waits gets the one that is given back" {
  hold gpu1
  hold gpu0
  run -75 dblock run -n --any gpu0,gpu1 -- echo never
  contains "$output" "'gpu0' is held by"
  contains "$output" "nor is any other of the 2 to be had"
  run -75 dblock run -w 300ms --any gpu0,gpu1 -- echo never
  contains "$output" "nor is another one of 'gpu0, gpu1' to be had"
  dblock run --any gpu0,gpu1 -- sh -c 'echo "$DBLOCK_NAME"' >"$BATS_TEST_TMPDIR/got" &
  local waits=$!
  wait_for queued 2
  dblock break gpu0 >/dev/null
  wait "$waits"
  equal "$(cat "$BATS_TEST_TMPDIR/got")" gpu0
  queued 0
}

queued() {
  [ "$(sql "SELECT count(*) FROM dblock_queue WHERE names < 0 AND token IS NULL")" = "$1" ]
}

@test "each as shared, or as permits" {
  hold gpu0
  run -0 dblock run -s --any gpu0,gpu1 -- dblock run -s -n gpu1 -- echo both
  equal "$output" both
  run -0 dblock run -p 1/2 --any pool1,pool2 -- dblock run -n -p 1/2 pool1 -- dblock run -n -p 1/2 --any pool1,pool2 -- sh -c 'echo "$DBLOCK_NAME"'
  equal "$output" pool2
}

@test "inside of runs that hold them all: it would wait for itself" {
  run -75 dblock run gpu0 -a gpu1 -- dblock run --any gpu0,gpu1 -- echo never
  contains "$output" "wait for itself"
  run -0 dblock run gpu0 -- dblock run --any gpu0,gpu1 -- sh -c 'echo "$DBLOCK_NAME"'
  equal "$output" gpu1
}

@test "what cannot be" {
  local option
  run -64 dblock run --any gpu0,,gpu1 -- true
  contains "$output" "'gpu0,,gpu1' has an empty name"
  run -64 dblock run --any gpu0,gpu0 -- true
  contains "$output" "named twice"
  run -64 dblock run gpu2 --any gpu0,gpu1 -- true
  contains "$output" "'gpu2' is one name too many"
  run -64 dblock run --any gpu0,gpu1
  contains "$output" "CMD is missing"
  run -64 dblock run --any "$(seq -s, 65)" -- true
  contains "$output" "64 at most"
  for option in "--also x" --unfair "--once slot"; do
    # shellcheck disable=SC2086 # two words
    run -64 dblock run --any gpu0,gpu1 $option -- true
    contains "$output" "--any and ${option%% *}"
  done
}

@test "any one of a pool: its members that are not drained, when the call begins; with permits, and numbers" {
  run -64 --separate-stderr dblock run --any pool:p-none -- true
  contains "$stderr" "the pool 'p-none' has no member that is not drained"
  dblock pool add p-any p-any-1 p-any-2 p-any-3
  hold p-any-1
  dblock pool drain p-any p-any-2
  # shellcheck disable=SC2016 # the command's own
  equal "$(dblock run --any pool:p-any -c 'echo $DBLOCK_NAME')" p-any-3
  hold p-any-3
  run -75 dblock run -n --any pool:p-any -- true
  # shellcheck disable=SC2016
  equal "$(dblock run -n --any pool:p-any,p-any-2 -c 'echo $DBLOCK_NAME')" p-any-2
  dblock pool add p-any-gpu p-any-g1 p-any-g2
  dblock pool resize p-any-g1 1
  dblock pool resize p-any-g2 2
  hold p-any-g1 -p 1/stored
  hold p-any-g2 -p 1/stored --numbered
  # shellcheck disable=SC2016
  equal "$(dblock run -n -p 1/stored --numbered --any pool:p-any-gpu -c 'echo $DBLOCK_NAME $DBLOCK_PERMIT')" \
    "p-any-g2 1"
}
