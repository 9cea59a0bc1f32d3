#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock run NAME -a NAME: several locks at once, all or none.

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

@test "all of them, each with its token; free again afterwards" {
  run -0 dblock run from -a to -a by -- sh -c 'echo "$DBLOCK_NAME $DBLOCK_TOKEN"; echo "$DBLOCK_TOKENS"'
  [[ ${lines[0]} =~ ^from\ ([0-9]+)$ ]]
  local token=${BASH_REMATCH[1]}
  [[ ${lines[1]} =~ ^[0-9]+\ by$ ]]
  equal "${lines[2]}" "$token from"
  [[ ${lines[3]} =~ ^[0-9]+\ to$ ]]
  run -0 dblock ls
  lacks "$output" session
  # Those of the runs around come behind one's own.
  run -0 dblock run -n to -- dblock run -n from -- sh -c 'echo "$DBLOCK_TOKENS"'
  [[ ${lines[0]} =~ ^[0-9]+\ from$ ]]
  [[ ${lines[1]} =~ ^[0-9]+\ to$ ]]
}

@test "or none: -n is busy if one is taken, and says which" {
  run -75 dblock run to -- dblock run -n from -a to -- echo never
  contains "$output" "'to' is held by"
  lacks "$output" never
  run -0 dblock run -n from -- true
}

@test "shared together; what cannot be asked for several" {
  run -0 dblock run -s from -a to -- dblock run -n -s to -a from -- echo both
  equal "$output" both
  local option
  for option in "--lease 5s" "--at-least 5s" --unfair "-p 1/2" "--once slot"; do
    # shellcheck disable=SC2086 # two words
    run -64 dblock run from $option -a to -- true
    contains "$output" "--also and ${option%% *}" || contains "$output" "--also and --permits"
  done
  run -64 dblock run from -a from -- true
  contains "$output" "named twice"
  run -64 dblock run from -a '' -- true
}
