#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock break.

setup_file() {
  load kit
  with_tables
}

setup() {
  load kit
}

teardown() {
  end_background
}

@test "break: the old token is dead, the name is free, the next token is larger" {
  local old new
  old=$(dblock acquire broken --lease 1h)
  run -0 --separate-stderr dblock break broken
  equal "$output$stderr" ""
  run -1 dblock release broken "$old"
  run -1 dblock renew broken "$old" --lease 1h
  new=$(dblock acquire -n broken --lease 1h)
  ((new > old))
}

@test "break: 1 when nobody holds it, or another grant than --token" {
  run -1 --separate-stderr dblock break "no such name"
  contains "$stderr" "dblock: break: "
  local token
  token=$(dblock acquire picky --lease 1h)
  run -1 dblock break picky --token $((token - 1))
  run -75 dblock run -n picky -- true
  run -0 dblock break picky --token "$token"
  run -1 dblock break picky
  is_free picky
}

@test "break takes a lock from a living session" {
  hold living
  run -0 dblock break living -w 0
  is_free living
  kill -TERM "$holder"
  ended "$holder"
  equal "$code" 143
}

@test "break ends the rest that --at-least keeps" {
  dblock run --at-least 1h resting -- true
  run -75 dblock run -n resting -- true
  run -0 dblock break resting
  is_free resting
}

