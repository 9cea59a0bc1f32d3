#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate: what a terminal shows of a statement that takes long.

setup() {
  load migrate
  with_dir
}

teardown() {
  end_background
}

on_screen()
{
  script -qefc "dblock --prefix $prefix migrate up --dir $dir --lock-timeout $(slowly 60)" \
    "$BATS_TEST_TMPDIR/screen" >/dev/null </dev/null
}

@test "whom a statement waits for, and for how long; and nothing of it without a terminal" {
  up 0001_t "CREATE TABLE ${t}_p (a INTEGER);"
  run -0 migrate up
  up 0002_add "ALTER TABLE ${t}_p ADD COLUMN b INTEGER;"
  in_transaction "SELECT count(*) FROM ${t}_p" "SELECT 'pid' || pg_backend_pid()"
  pid=$(grep -o 'pid[0-9]*' "$BATS_TEST_TMPDIR/answers" | tr -d a-z)
  background on_screen
  wait_for grep -q "0002_add: statement 1 of 1, [0-9]* s (waits for a lock that pid $pid has)" "$BATS_TEST_TMPDIR/screen"
  vacate
  ended "$started"
  contains "$(cat "$BATS_TEST_TMPDIR/screen")" "applied 0002_add (1 statement, "
  # Each line is erased before what stays.
  contains "$(tr -d '\n' <"$BATS_TEST_TMPDIR/screen")" $'\r\e[Kapplied 0002_add'
}
