#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock outbox ls, show, retry, drop: what waits to be delivered, and what is done about what could not be.

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
  sql 'DELETE FROM dblock_outbox'
  sql 'DELETE FROM dblock_outbox_key'
  sql 'DELETE FROM dblock_outbox_failure'
}

# The message of KEY cannot be delivered, and all others are.
fails() {
  dblock -q outbox run t --drain "${@:2}" -- sh -c '[ "$DBLOCK_KEY" != "$1" ] || exit 3' - "$1" || true
}

@test "nothing waits" {
  run -0 --separate-stderr dblock outbox ls
  equal "$output" ""
  contains "$stderr" "no message waits to be delivered"
  run -0 --separate-stderr dblock outbox ls t
  equal "$output" ""
  contains "$stderr" "no key of this topic has failed"
  run -1 --separate-stderr dblock outbox show t k
  equal "$output" ""
  contains "$stderr" "topic 't': no message of the key 'k' waits"
  run -0 --separate-stderr dblock --json outbox ls
  equal "$output$stderr" ""
}

@test "topics, with how many wait, are tried again, and parked" {
  outbox_put b k x
  outbox_put t bad x y
  outbox_put t worse x
  fails bad
  outbox_put t worse x
  run -0 dblock outbox ls
  contains "${lines[0]}" "TOPIC  MESSAGES  OLDEST"
  [[ ${lines[1]} =~ ^b\ +1\ +20[^\ ]+\ +[0-9.a-z]+\ +0\ +0$ ]]
  [[ ${lines[2]} =~ ^t\ +3\ +20[^\ ]+\ +[0-9.a-z]+\ +1\ +0$ ]]
  dblock outbox retry t bad
  fails bad --tries 1 2>/dev/null
  run -0 dblock outbox ls
  [[ ${lines[2]} =~ ^t\ +2\ .*\ 0\ +1$ ]]
  equal "$(dblock --json outbox ls | tail -n 1 | json_get parked)" 1
}

@test "keys that have failed: when they are tried again, and why they failed" {
  outbox_put t bad x
  fails bad --pause 1h
  run -0 dblock outbox ls t
  [[ ${lines[1]} =~ ^bad\ +1\ +1\ +20[^\ ]+\ +in\ [0-9hms]+\ +sh\ ended\ with\ exit\ status\ 3$ ]]
  equal "$(dblock --json outbox ls t | json_get parked)" false
  [ "$(dblock --json outbox ls t | json_get due_ms)" -gt 0 ]
  sql 'UPDATE dblock_outbox_failure SET due = 1'
  run -0 dblock outbox ls t
  [[ ${lines[1]} =~ \ now\ +sh ]]
  sql 'UPDATE dblock_outbox_failure SET due = NULL'
  run -0 dblock outbox ls t
  [[ ${lines[1]} =~ \ parked\ +sh ]]
  equal "$(dblock --json outbox ls t | json_get due)" null
  run -0 --separate-stderr dblock outbox ls b
  equal "$output" ""
}

@test "show: the first message line by line, and those behind it" {
  HEADERS='{"h":1}' outbox_put t k $'one\n\ntwo' "$(printf 'é%.0s' {1..100})" $'a\nb'
  run -0 dblock outbox show t k
  equal "${lines[0]}" "topic:    t"
  equal "${lines[1]}" "key:      k"
  equal "${lines[2]}" "number:   1"
  [[ ${lines[3]} =~ ^id:\ +[0-9]+$ ]]
  [[ ${lines[4]} =~ ^put\ at:\ +20 ]]
  equal "${lines[5]}" 'headers:  {"h":1}'
  contains "$output" $'\nbody:     one\n\n          two\n'
  lacks "$output" failed
  [[ ${lines[-2]} =~ ^2\ +20[^\ ]+\ +200\ +é{60}$ ]]
  [[ ${lines[-1]} =~ ^3\ +20[^\ ]+\ +3\ +a\\x0Ab$ ]]
}

@test "show: a message that has failed says so" {
  outbox_put t k x y
  run -0 dblock --json outbox show t k
  equal "$(json_get failure <<<"${lines[0]}")" null
  fails k --pause 1h
  run -0 dblock outbox show t k
  [[ $output =~ failed:\ +1\ try\ since\ 20[^\ ]+\;\ again\ in\ 1h ]]
  contains "$output" "error:    sh ended with exit status 3"
  sql 'UPDATE dblock_outbox_failure SET due = NULL, tries = 10'
  run -0 dblock outbox show t k
  [[ $output =~ failed:\ +10\ tries\ since\ 20[^\ ]+\;\ parked\ until ]]
  run -0 dblock --json outbox show t k
  equal "$(json_get failure parked <<<"${lines[0]}")" true
  equal "$(json_get failure <<<"${lines[1]}")" null
  equal "$(json_get number <<<"${lines[1]}") $(json_get body <<<"${lines[1]}")" "2 y"
}

@test "what stands in a message does nothing to a terminal" {
  outbox_put t k $'\033[31mred' $'\033[2J'
  run -0 dblock outbox show t k
  lacks "$output" $'\033'
  contains "$output" '\x1B[31mred'
}

@test "retry: one key, or all that have failed" {
  local key
  for key in a b c; do outbox_put t "$key" x; done
  run -0 dblock -q outbox run t --drain --pause 1h -- false
  run -0 dblock outbox retry t b
  equal "$output" "1 key is tried again"
  run -1 --separate-stderr dblock outbox retry t b
  contains "$stderr" "topic 't': the key 'b' has not failed"
  run -0 dblock --json outbox retry t
  equal "$(json_get topic <<<"$output") $(json_get keys <<<"$output")" "t 2"
  run -1 --separate-stderr dblock outbox retry t
  contains "$stderr" "topic 't': no key has failed"
  # Naive: an empty variable means all.
  run -64 dblock outbox retry t ''
  contains "$output" "the key is empty"
}

@test "drop: a message is given up, and those behind it are delivered" {
  outbox_put t k bad good
  fails k --tries 1 2>/dev/null
  run -0 dblock outbox drop t k 1
  equal "$output" "message 1 is deleted"
  run -0 dblock outbox run t --drain -- json_get body
  equal "$output" good
  run -1 --separate-stderr dblock outbox drop t k 1
  contains "$stderr" "no message of number 1 waits"
  outbox_put t k x
  run -0 dblock --json outbox drop t k 3
  equal "$(json_get number <<<"$output")" 3
  local number
  for number in 0 -1 x '' 1x 99999999999999999999; do
    run -64 dblock outbox drop t k -- "$number"
    contains "$output" "NUMBER is '$number', and has to be a positive number"
  done
  run -64 dblock outbox drop t k
  contains "$output" "NUMBER is missing"
}
