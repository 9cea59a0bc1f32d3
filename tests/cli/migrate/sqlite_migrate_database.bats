#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate wait, drop on a file: links, what SQLite keeps beside it, and who has it for himself.

setup() {
  load database
  with_database
}

teardown() {
  without_database
}

@test "drop: a file by a symbolic link, and what SQLite keeps beside it" {
  mkdir "$BATS_TEST_TMPDIR/far"
  ln -s "far/$name" "$BATS_TEST_TMPDIR/$name"
  dblock migrate create
  dblock schema up
  : >"$BATS_TEST_TMPDIR/far/$name-journal"
  run -0 dblock migrate drop --yes
  equal "$(ls -A "$BATS_TEST_TMPDIR/far")" ""
}

@test "wait: a file that somebody has for himself" {
  local pipe=$BATS_TEST_TMPDIR/owner
  dblock migrate create
  mkfifo "$pipe"
  exec {owner}<>"$pipe"
  background own "$pipe" >"$BATS_TEST_TMPDIR/owned"
  printf '%s;\n' "PRAGMA locking_mode = EXCLUSIVE" "BEGIN EXCLUSIVE" "SELECT 'mine'" >&"$owner"
  wait_for grep -q mine "$BATS_TEST_TMPDIR/owned"
  background dblock --call-timeout 100ms migrate wait --wait "$(slowly 600)" 2>"$BATS_TEST_TMPDIR/said"
  wait_for grep -q "waiting for the database" "$BATS_TEST_TMPDIR/said"
  echo .quit >&"$owner"
  ended "$started"
  equal "$code" 0
  equal "$(grep -c . "$BATS_TEST_TMPDIR/said")" 1
}

own() {
  exec <"$1" {owner}>&-
  sqlite3 -batch -bail "${url#sqlite:}"
}
