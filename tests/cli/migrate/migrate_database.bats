#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate wait, create, drop: the database itself.

setup() {
  load database
  with_database
}

teardown() {
  without_database
}

@test "create makes it once, drop drops it once" {
  run -0 --separate-stderr dblock migrate drop --yes
  contains "$stderr" "nothing to do: there is no database"
  equal "$output" ""
  run -0 --separate-stderr dblock migrate create
  equal "$output" "created database ${url#sqlite:}" || equal "$output" "created database $name"
  equal "$stderr" ""
  run -0 --separate-stderr dblock migrate create
  equal "$output" ""
  contains "$stderr" "is there already"
  run -0 dblock schema up
  run -0 dblock run x true
  run -0 --separate-stderr dblock migrate drop --yes
  contains "$output" "dropped database"
  if is_file; then
    run ! ls "$BATS_TEST_TMPDIR/$name"*
  else
    run ! dblock run x true
  fi
}

@test "create and drop as JSON" {
  json=$(dblock --json migrate create)
  equal "$(field ok)-$(field "done")-$(field command)" true-true-create
  contains "$(field database)" "$name"
  json=$(dblock --json -q migrate create)
  equal "$(field ok)-$(field "done")" true-false
  contains "$(field database)" "$name"
  json=$(dblock --json migrate drop </dev/null 2>/dev/null) && return 1
  equal "$(field ok)-$(field error code)" false-DBLOCK_E_INVALID
  json=$(dblock --json migrate drop --yes)
  equal "$(field ok)-$(field "done")" true-true
}

@test "create: many at once" {
  local i
  for i in 1 2 3 4 5 6; do
    background dblock migrate create >"$BATS_TEST_TMPDIR/out.$i"
    pids[i]=$started
  done
  for i in 1 2 3 4 5 6; do
    ended "${pids[i]}"
    equal "$code" 0
  done
  is_file || equal "$(cat "$BATS_TEST_TMPDIR"/out.* | sort -u)" "created database $name"
  run -0 dblock migrate wait
  lacks "$output" "no database"
}

@test "drop asks, and takes no silence for an answer" {
  dblock migrate create
  run -2 dblock migrate drop </dev/null
  contains "$output" "--yes"
  run -0 dblock migrate wait
  lacks "$output" "no database"
}

@test "drop: not while others use it, unless --force" {
  dblock migrate create
  uses
  run -6 --separate-stderr dblock migrate drop --yes
  contains "$stderr" "is in use: "
  is_file || contains "$stderr" "1 other connection"
  contains "$stderr" "dblock migrate drop --force"
  run -0 dblock migrate wait
  lacks "$output" "no database"
  run -0 dblock migrate drop --yes --force
  run -0 dblock migrate wait
  contains "$output" "no database"
  is_file || return 0
  run ! ls "$BATS_TEST_TMPDIR/$name"*
}

@test "drop: never one of the server's own, nor what is no database" {
  local own
  case $DBLOCK_TEST_BACKEND in
  sqlite)
    echo "a list" >"$BATS_TEST_TMPDIR/$name"
    run -7 dblock migrate drop --yes
    equal "$(cat "$BATS_TEST_TMPDIR/$name")" "a list"
    return
    ;;
  postgresql) own="postgres template0 template1" ;;
  mysql) own="mysql information_schema performance_schema sys" ;;
  esac
  for own in $own; do
    run -2 dblock -u "$(named "$own")" migrate drop --yes --force
    contains "$output" "one of the server's own"
  done
  run -2 dblock -u "$(named '')" migrate drop --yes
  contains "$output" "names no database"
}

@test "wait: a server that answers is not waited for because of its database" {
  run -0 --separate-stderr dblock migrate wait
  contains "$stderr" "there is no database"
  contains "$stderr" "'dblock migrate create'"
  is_file && run ! ls "$BATS_TEST_TMPDIR/$name"
  json=$(dblock --json -q migrate wait)
  equal "$(field ok)-$(field "done")" true-false
}
