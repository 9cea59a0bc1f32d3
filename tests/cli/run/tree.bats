#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock run --tree PATH: what is below a node, and all of it.

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

@test "those below a node run together; all of it waits for them, and keeps them out" {
  hold --tree t7/orders/1
  run -0 dblock run -n --tree t7/orders/2 -- sh -c 'echo "$DBLOCK_NAME $DBLOCK_TOKEN"; echo "$DBLOCK_TOKENS"'
  [[ ${lines[0]} =~ ^t7/orders/2\ ([0-9]+)$ ]]
  equal "${lines[1]}" "${BASH_REMATCH[1]} t7/orders/2"
  run -75 dblock run -n --tree 't7/**' -- echo never
  contains "$output" "'t7/**' is held by"
  run -75 dblock run -n --tree 't7/orders/**' -- echo never
  run -0 dblock run -n --tree 't8/**' -- dblock run -n --tree t7/items/1 -- echo beside
  equal "$output" beside
  run -0 dblock run --tree 't9/**' -- sh -c 'dblock run -n --tree t9/x -- echo never || echo $?'
  contains "$output" 75
  lacks "$output" never
}

@test "what cannot be" {
  local option
  run -64 dblock run --tree a//b -- true
  contains "$output" "'a//b' has an empty name"
  run -64 dblock run -s --tree 'a/**' -- true
  contains "$output" "cannot be shared"
  for option in "--also x" "--lease 5s" "--any x" "-p 1/2" "--once s"; do
    # shellcheck disable=SC2086 # two words
    run -64 dblock run --tree a/b $option -- true
    contains "$output" "do not go together" || contains "$output" "one name too many"
  done
}
