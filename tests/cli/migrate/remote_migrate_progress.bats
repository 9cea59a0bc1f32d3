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

# The words for the other session; on MariaDB it is only likely, and transactions of other tests are, too.
whose()
{
  case $DBLOCK_TEST_DATABASE in
  postgresql) echo "pid $1" ;;
  mariadb) echo "perhaps connection [0-9, ]*$1[0-9, ]*" ;;
  mysql) echo "connection $1" ;;
  esac
}

@test "whom a statement waits for, for how long, and the rows before it; and nothing of it without a terminal" {
  local id=pg_backend_pid
  [ "$DBLOCK_TEST_BACKEND" = mysql ] && id=CONNECTION_ID
  up 0001_t "CREATE TABLE ${t}_p (a INTEGER);
CREATE TABLE ${t}_q (a INTEGER);"
  run -0 migrate up
  up 0002_add "INSERT INTO ${t}_q VALUES (1), (2), (3);
ALTER TABLE ${t}_p ADD COLUMN b INTEGER;"
  in_transaction "SELECT count(*) FROM ${t}_p" "SELECT CONCAT('pid', $id())"
  pid=$(grep -o 'pid[0-9]*' "$BATS_TEST_TMPDIR/answers" | tr -d a-z)
  background on_screen
  wait_for grep -q "0002_add: statement 2 of 2, 3 rows, [0-9]* s (waits for a lock that $(whose "$pid") has)" \
    "$BATS_TEST_TMPDIR/screen"
  vacate
  ended "$started"
  contains "$(cat "$BATS_TEST_TMPDIR/screen")" "applied 0002_add (2 statements, "
  # Each line is erased before what stays.
  contains "$(tr -d '\n' <"$BATS_TEST_TMPDIR/screen")" $'\r\e[Kapplied 0002_add'
}
