#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock request, drain, run --on-request: asking the holder of a lock to let go.

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

says() {
  grep -qF -- "$2" "$1"
}

# hearing NAME OPTION...: runs a command that writes which signal it got, in $got, and goes on.
hearing() {
  local name=$1 up=$BATS_TEST_TMPDIR/up.$1
  shift
  got=$BATS_TEST_TMPDIR/got.$name
  heard=$BATS_TEST_TMPDIR/heard.$name
  background dblock run --ttl 1h "$name" "$@" -- sh -c '
    trap "echo USR2 >>\"$2\"" USR2
    trap "exit 3" TERM
    echo $$ >"$1.new"
    mv "$1.new" "$1"
    while :; do sleep 0.05; done' - "$up" "$got" 2>"$heard"
  holder=$started
  wait_for test -e "$up"
}

@test "request: the holder says who asks and why, and its command goes on" {
  hearing plain
  run -0 --separate-stderr dblock request plain --reason 'deploy of 2.4'
  equal "$output$stderr" ""
  wait_for says "$heard" "dblock: run: lock 'plain' is asked for by "
  says "$heard" "(dblock): deploy of 2.4"
  alive "$holder"
  run -75 dblock run -n plain -- true
  run -0 dblock show plain
  [[ $output =~ "asked by: "[^$'\n']+:[0-9]+\ \(dblock\) ]]
  contains "$output" "reason:   deploy of 2.4"
  run -0 dblock --json show plain
  contains "$output" '"request":{'
  contains "$output" '"reason":"deploy of 2.4"'
  [ ! -e "$got" ]
  kill -TERM "$holder"
  ended "$holder"
  equal "$code" 3
  run -0 dblock show plain
  lacks "$output" asked
  run -0 dblock --json show plain
  contains "$output" '"request":null'
}

@test "run --on-request: the command gets that signal, once a request, and nobody else does" {
  hearing signaled --on-request SIGUSR2
  dblock request signaled
  wait_for says "$got" USR2
  dblock request signaled --reason again
  # This signal goes the same way, and comes behind the first.
  kill -TERM "$holder"
  ended "$holder"
  equal "$code" 3
  equal "$(cat "$got")" USR2
}

@test "run --on-request TERM: a deploy waits until the lock is let go" {
  hearing deployed --on-request term
  dblock request deployed
  ended "$holder"
  equal "$code" 3
  is_free deployed
}

@test "run --on-request: what is no signal is a usage error" {
  local signal
  for signal in NOSUCH '' 0 999 9x; do
    run -64 dblock run x --on-request "$signal" -- true
    contains "$output" "--on-request"
  done
}

@test "request: 1 if nobody holds it, 64 if the words are wrong" {
  run -1 --separate-stderr dblock request 'no such name'
  contains "$stderr" "dblock: request: 'no such name' is not held by anybody"
  run -64 dblock request
  run -64 dblock request ''
  run -64 dblock request x --reason $'two\nlines'
  run -64 dblock drain
  run -64 dblock drain nonsense
  contains "$output" HOST:PID
}

@test "drain: all that a client holds, by HOST:PID and by its session's id" {
  hearing drained
  local client session
  client=$(dblock ls drained | sed -nE '2s/^drained +session +([^ ]+).*/\1/p')
  session=$(dblock --json ls drained | sed -E 's/.*"session":"([0-9a-f]{32})".*/\1/')
  run -0 dblock drain "$client" --reason 'machine goes down'
  equal "$output" 1
  wait_for says "$heard" "machine goes down"
  run -0 dblock --json drain "$session"
  equal "$output" '{"asked":1}'
  kill -TERM "$holder"
  ended "$holder"
  run -1 dblock drain "$client"
  contains "$output" "no client of process"
  run -1 dblock drain "$session"
  contains "$output" "no client with the session"
}
