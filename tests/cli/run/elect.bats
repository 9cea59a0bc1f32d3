#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock elect, leader: a command runs while we lead.

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
  T=$BATS_TEST_TMPDIR
}

teardown() {
  end_background
}

# stand NAME FILE OPTION...: stands in the background; each time that it leads, the command writes a
# line with its token to FILE.
stand() {
  local name=$1 file=$2
  shift 2
  : >"$file"
  background dblock elect "$name" "$@" -- sh -c 'echo "$DBLOCK_TOKEN" >>"$1"; exec sleep 1000' - "$file"
}

# Tells whether FILE has so many lines.
has_lines() {
  [ "$(wc -l <"$1")" -ge "$2" ]
}

# Declares the leader's session dead, as if somebody had watched its heartbeat for its whole ttl.
declare_leader_dead() {
  sql "UPDATE dblock_session SET dead = true WHERE id =
    (SELECT session FROM dblock_lock WHERE name = '$1')"
}

@test "the command runs while it leads; others read who; at its end it resigns" {
  run -5 --separate-stderr dblock elect one --value here:1 -- sh -c 'dblock leader one; dblock --json leader one; exit 5'
  equal "$stderr" ""
  local token
  token=$(token_of one)
  [[ ${lines[0]} =~ ^[^\ ]+:[0-9]+\ \ $token\ \ [0-9T:+-]+\ \ here:1$ ]]
  contains "${lines[1]}" "\"leads\":true,\"token\":$token"
  contains "${lines[1]}" '"value":"here:1"'
  run -1 --separate-stderr dblock leader one
  equal "$output" ""
  contains "$stderr" "nobody leads"
  run -1 dblock leader never
}

@test "who ends is followed by who stands; --watch prints each change" {
  stand follow "$T/a" --value first
  local a=$started
  wait_for has_lines "$T/a" 1
  background dblock leader follow --watch --every 20ms >"$T/watched"
  local watch=$started
  wait_for has_lines "$T/watched" 1
  run -75 --separate-stderr dblock elect follow -w 50ms -- echo no
  equal "$output" ""
  stand follow "$T/b" --value second
  local b=$started
  waits() {
    [ "$(number_of follow waiting)" = 1 ]
  }
  wait_for waits
  kill -TERM "$a"
  ended "$a"
  equal "$code" 143
  wait_for has_lines "$T/b" 1
  wait_for grep -q second "$T/watched"
  kill -TERM "$b"
  ended "$b"
  nobody() {
    [ "$(tail -n 1 "$T/watched")" = - ]
  }
  wait_for nobody
  kill -TERM "$watch"
  ended "$watch"
  equal "$code" 143
  contains "$(head -n 1 "$T/watched")" first
  (($(cat "$T/b") > $(cat "$T/a")))
}

@test "once the lead is lost the command is ended, and it stands again" {
  stand again "$T/a" --ttl "$(slowly 2)" 2>"$T/err"
  local a=$started
  wait_for has_lines "$T/a" 1
  declare_leader_dead again
  wait_for has_lines "$T/a" 2
  contains "$(cat "$T/err")" "lock 'again' was lost while the command ran: its session was declared dead by "
  contains "$(cat "$T/err")" "stands for 'again' again"
  # The leader's keeper is killed: its session has to be watched for a ttl.
  kill -KILL "$(number_of again pid)"
  wait_for has_lines "$T/a" 3
  kill -TERM "$a"
  ended "$a"
  equal "$code" 143
  equal "$(sort -nu "$T/a" | wc -l)" 3
}

@test "--one-term: not again" {
  stand once "$T/a" --ttl "$(slowly 2)" --one-term
  local a=$started
  wait_for has_lines "$T/a" 1
  declare_leader_dead once
  ended "$a"
  equal "$code" 76
  equal "$(wc -l <"$T/a")" 1
}

@test "a signal ends a campaign" {
  hold taken
  background dblock elect taken -- touch "$T/ran"
  local a=$started
  waits() {
    [ "$(number_of taken waiting)" = 1 ]
  }
  wait_for waits
  kill -TERM "$a"
  ended "$a"
  equal "$code" 143
  test ! -e "$T/ran"
}
