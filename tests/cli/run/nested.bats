#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A `dblock run` inside of another one's command.

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
  export T=$BATS_TEST_TMPDIR
}

teardown() {
  end_background
}

@test "run y -- run y: it would wait for itself, and says so at once; 75, or what -E says" {
  run -75 --separate-stderr dblock run y -- dblock run y -- touch "$T/ran"
  contains "$stderr" "'y' is held by the run that this one is inside of: it would wait for itself"
  run -9 dblock run y -- sh -c 'dblock run -E 9 -w 1h y -- touch "$T/ran"'
  # A third process in between, and one of several names.
  run -75 dblock run y -- dblock run z -- dblock run y -- touch "$T/ran"
  run -75 dblock run -a x y -- dblock run z -a x -- touch "$T/ran"
  run -75 dblock run y -- dblock run --once slot y -- touch "$T/ran"
  [ ! -e "$T/ran" ]
}

@test "another name, or another database's lock of that name, is none of them" {
  run -0 dblock run y -- dblock run yy -- echo yes
  equal "$output" yes
  run -0 dblock run y -- dblock -u "sqlite:$T/other.db" run -w 1h y -- echo yes
  equal "$output" yes
}

@test "permits are waited for: somebody else may give one back" {
  background dblock run -p 1/2 gpu -- sleep 2
  gpu_is_held() {
    dblock ls | grep -q ^gpu
  }
  wait_for gpu_is_held
  run -0 dblock run -p 1/2 gpu -- dblock run -w "$(slowly 60)" -p 1/2 gpu -- echo after
  equal "$output" after
}

@test "where the command has lost the variable, the cycle is seen all the same" {
  run -75 --separate-stderr timeout "$(slowly 60)" dblock run y -- env -u DBLOCK_TOKENS dblock run y -- true
  contains "$stderr" "deadlock; 'y' is not waited for any longer, as it would be for ever"
}

@test "run a -- run b against the reverse: one of them gives up, the other one goes on" {
  # Each begins to wait when both hold their first lock.
  local script='touch "$T/$1.up"; until [ -e "$T/$3.up" ]; do sleep 0.05; done
    exec dblock run "$2" -- sh -c "echo $1 >>\$T/ran"'
  background timeout "$(slowly 90)" dblock run a -- sh -c "$script" - a b b 2>"$T/err.a"
  local one=$started codes
  background timeout "$(slowly 90)" dblock run b -- sh -c "$script" - b a a 2>"$T/err.b"
  ended "$started"
  codes=$code
  ended "$one"
  codes=$(printf '%s\n' "$codes" "$code" | sort -n | tr '\n' ' ')
  cat "$T"/err.*
  equal "$codes" "0 75 "
  equal "$(wc -l <"$T/ran")" 1
  equal "$(cat "$T"/err.* | grep -c 'deadlock; ')" 1
}

@test "no deadlock: shared in shared, another lock that comes free, a wait that has an end" {
  run -0 dblock run -s many -- dblock run -s many -- echo both
  equal "$output" both
  background dblock run other -- sleep 3
  other_is_held() {
    dblock ls | grep -q ^other
  }
  wait_for other_is_held
  run -0 timeout "$(slowly 60)" dblock run mine -- dblock run other -- echo after
  equal "$output" after
  run -75 --separate-stderr dblock run mine -- dblock run -w 1s mine -- true
  lacks "$stderr" deadlock
}

@test "who waits so says within whom: ls --waiters" {
  hold busy
  background dblock run within -- dblock run busy -- true
  seen() {
    dblock -q ls --waiters | grep -qE "dblock in [0-9]+ "
  }
  wait_for seen
}

# This is for PostgreSQL: SQLite has no schemas, and MySQL's are the whole server's databases.
in_a_schema() {
  sql "CREATE SCHEMA $1"
  dblock -q --schema "$1" schema up >/dev/null
  DBLOCK_SCHEMA=nowhere run -0 dblock --schema "$1" run passed -- sh -c 'dblock ls; echo "$DBLOCK_SCHEMA"'
  contains "$output" "passed  session"
  equal "${lines[-1]}" "$1"
}

@test "-u, --schema and --prefix are passed on to the command's own dblock" {
  local elsewhere=$DBLOCK_URL
  DBLOCK_URL=sqlite:$T/nowhere.db run -0 dblock -u "$elsewhere" run passed -- \
    sh -c 'dblock ls; echo "$DBLOCK_URL"'
  contains "$output" "passed  session"
  contains "$output" "$elsewhere"
  [ ! -e "$T/nowhere.db" ]
  dblock -q --prefix other_ schema up >/dev/null
  run -0 dblock --prefix other_ run passed -- sh -c 'dblock ls; echo "$DBLOCK_PREFIX"'
  contains "$output" "passed  session"
  equal "${lines[-1]}" other_
  run -0 env -u DBLOCK_PREFIX dblock run passed -- sh -c 'echo "${DBLOCK_PREFIX-none}"'
  equal "$output" none
  if [ "$DBLOCK_TEST_BACKEND" = postgresql ]; then
    in_a_schema other
  fi
}
