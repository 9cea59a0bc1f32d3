#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock acquire, renew, release: grants that outlive the process.

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

@test "acquire prints the token alone; release from another process gives it back" {
  run -0 --separate-stderr dblock acquire simple --lease 1m
  [[ $output =~ ^[1-9][0-9]*$ ]]
  equal "$stderr" ""
  local token=$output
  equal "$(token_of simple)" "$token"
  run -75 dblock run -n simple -- true
  run -0 --separate-stderr dblock release simple "$token"
  equal "$output$stderr" ""
  is_free simple
}

@test "release: 1 if that grant is no longer the holder; the new one is untouched" {
  local old new
  old=$(dblock acquire twice --lease 1m)
  dblock release twice "$old"
  run -1 --separate-stderr dblock release twice "$old"
  contains "$stderr" "dblock: release: "
  new=$(dblock acquire twice --lease 1m)
  ((new > old))
  run -1 dblock release twice "$old"
  run -1 dblock -q release twice $((new + 1))
  equal "$output" ""
  run -75 dblock acquire -n twice --lease 1m
  run -0 dblock release twice "$new"
  run -1 dblock release "no such name" 1
}

@test "renew gives a new end, also a sooner one" {
  local token left
  token=$(dblock acquire renewed --lease 1m)
  run -0 --separate-stderr dblock renew renewed "$token" --lease 1h
  equal "$output$stderr" ""
  left=$(number_of renewed left_ms)
  ((left > 59 * 60 * 1000 && left <= 60 * 60 * 1000))
  equal "$(token_of renewed)" "$token"
  dblock renew renewed "$token" --lease 500ms
  wait_for is_free renewed
  run -1 dblock renew renewed "$token" --lease 1m
}

@test "renew: 1 for a stale token, and for a grant without an end of its own" {
  local token
  run -1 dblock renew "no such name" 1 --lease 1m
  token=$(dblock acquire other --lease 1m)
  run -1 dblock renew other $((token - 1)) --lease 1m
  hold session-held
  run -1 --separate-stderr dblock renew session-held "$(token_of session-held)" --lease 1m
  contains "$stderr" "dblock: renew: "
}

@test "a lease ends by itself" {
  local token
  token=$(dblock acquire ends --lease 700ms)
  wait_for is_free ends
  run -1 dblock release ends "$token"
}

@test "durations mean what they say" {
  local lease ms left
  for lease in 90:90000 2m:120000 1.5h:5400000 2d:172800000 60000ms:60000; do
    ms=${lease#*:}
    dblock acquire "lease ${lease%:*}" --lease "${lease%:*}"
    left=$(number_of "lease ${lease%:*}" left_ms)
    # A slow machine may need so much time to ask.
    ((left <= ms && left > ms - 50000))
  done
}

@test "acquire -n and -w: 75 when it is held; -w waits for its end" {
  hold busy
  run -75 --separate-stderr dblock acquire busy -n --lease 1m
  equal "$output" ""
  contains "$stderr" "dblock: acquire: "
  contains "$stderr" "$keeper"
  run -75 dblock acquire busy -w 300ms --lease 1m
  dblock acquire soon --lease 1s
  run -0 dblock acquire soon -w "$(slowly 60)" --lease 1m
}

@test "--at-least holds a released grant's name" {
  local token
  token=$(dblock acquire rests --lease 1h --at-least 30m)
  dblock release rests "$token"
  run -75 dblock run -n rests -- true
}

@test "--value is kept, and --json gives name and token" {
  run -0 dblock --json acquire "with \"json\"" --lease 1m --value 'a "quoted" \ value'
  [[ $output =~ ^\{\"name\":\"with\ \\\"json\\\"\",\"token\":[1-9][0-9]*\}$ ]]
  run -0 dblock show 'with "json"'
  contains "$output" 'a "quoted" \ value'
}

@test "a token that cannot be printed is not kept" {
  run -74 sh -c 'dblock acquire unprinted --lease 1h >/dev/full'
  contains "$output" "released"
  is_free unprinted
}

@test "renew of a session's grant: it is held, but has nothing to renew" {
  hold by_session
  run -1 --separate-stderr dblock renew by_session "$(token_of by_session)" --lease 1m
  contains "$stderr" "'by_session' is held by the grant with token "
  contains "$stderr" "there is nothing to renew"
}

@test "--json: renew and release print an object, errors and notes are objects on standard error" {
  local token
  token=$(dblock acquire objects --lease 1m)
  run -0 dblock --json renew objects "$token" --lease 2m
  equal "$output" "{\"name\":\"objects\",\"token\":$token,\"lease_ms\":120000}"
  run -0 dblock --json release objects "$token"
  equal "$output" "{\"name\":\"objects\",\"token\":$token}"
  run -1 --separate-stderr dblock --json release objects "$token"
  equal "$output" ""
  equal "$(json_get command <<<"$stderr")" release
  contains "$stderr" '"note":"'
  run -64 --separate-stderr dblock --json release objects x
  equal "$(json_get error <<<"$stderr")" "'x' is not a token: a positive decimal number"
  run -1 dblock -q --json leader nobody
  contains "$output" '"leads":false'
}
