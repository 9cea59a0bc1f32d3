#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock break.

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

@test "break tells the holder: its command is ended, and only then the lock is free" {
  hold living
  run -0 dblock break living
  is_free living
  ended "$holder"
  equal "$code" 76
}

@test "break --force does not wait for the holder, which is told all the same" {
  hold living --kill-after 100ms
  run -0 --separate-stderr dblock break living --force
  equal "$output$stderr" ""
  is_free living
  ended "$holder"
  equal "$code" 76
}

@test "break says for whom it waits; --wait bounds that; at the latest it is a ttl" {
  hold deaf --ttl "$(slowly 5)"
  # All processes of this holder are stopped, so nobody can tell it.
  stop_between_writes "$holder" "$keeper" "$guardian"
  run -75 --separate-stderr dblock break deaf --wait 0
  contains "$stderr" "dblock: break: 'deaf' is taken away from host"
  contains "$stderr" "has not heard of it yet"
  contains "$stderr" "it is free when that process lets go"
  # Everybody sees that the lock is being taken away.
  run -0 dblock ls deaf
  [[ ${lines[1]} =~ ^deaf\ +leaving\ +[^\ ]+:$keeper\  ]]
  equal "${#lines[@]}" 2
  run -0 dblock show deaf
  [[ $output =~ broken\ by:\ [^\ ]+:[0-9]+\ \(dblock\) ]]
  contains "$output" "taken at: 20"
  contains "$output" "told:     no"
  run -0 dblock --json ls deaf
  contains "$output" '"held":"session"'
  [[ $output =~ \"taken\":\{\"cause\":\"broken\",\"host\":\"[^\"]+\",\"pid\":[0-9]+,\"app\":\"dblock\",\"since\":\"[^\"]+\",\"since_us\":[0-9]+,\"told\":false\} ]]
  run -75 dblock run -n deaf -- true
  run -0 --separate-stderr dblock break deaf
  contains "$stderr" "dblock: break: waiting for host"
  contains "$stderr" "pid $keeper (token"
  is_free deaf
  kill -CONT "$keeper" "$guardian" "$holder"
  ended "$holder"
  equal "$code" 76
}

@test "break ends the rest that --at-least keeps" {
  dblock run --at-least 1h resting -- true
  run -75 dblock run -n resting -- true
  run -0 dblock break resting
  is_free resting
}

