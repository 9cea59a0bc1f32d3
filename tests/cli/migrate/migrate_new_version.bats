#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The migration of `dblock migrate new --version-column`: it can be applied and undone, and existing
# rows get a version. (unit_migrate_new_forms.bats tests its names.)

setup() {
  load migrate
  with_dir
  up 0001_account "CREATE TABLE ${t}_account (id INTEGER PRIMARY KEY);
INSERT INTO ${t}_account VALUES (1);"
  down 0001_account "DROP TABLE ${t}_account;"
}

@test "up, down, and up again; rows that are there have 0" {
  migrate up
  migrate new --version-column ${t}_account --seq
  for _ in 1 2; do
    run -0 migrate up
    contains "$output" "applied 0002_${t}_account_version"
    equal "$(sql "SELECT id, version FROM ${t}_account" | tr '\t' '|')" "1|0"
    sql "UPDATE ${t}_account SET version = version + 1"
    sql "INSERT INTO ${t}_account (id) VALUES (2)"
    equal "$(sql "SELECT id, version FROM ${t}_account ORDER BY id" | tr '\t\n' '| ')" "1|1 2|0 "
    run -0 migrate down
    run ! sql "SELECT version FROM ${t}_account"
    sql "DELETE FROM ${t}_account WHERE id = 2"
  done
  migrate down --all --yes
}

@test "a column of another name, in a table with capitals, of a schema, by the URL's database" {
  local schema=main column
  [ "$DBLOCK_TEST_BACKEND" = postgresql ] && schema=public
  [ "$DBLOCK_TEST_BACKEND" = mysql ] && schema=$(sql 'SELECT DATABASE()')
  case $DBLOCK_TEST_BACKEND in
  mysql) column='`Seen`' ;;
  *) column='"Seen"' ;;
  esac
  up 0001_account "CREATE TABLE ${column/Seen/${t}_Account} (id INTEGER PRIMARY KEY);"
  migrate new seen --version-column "$schema.${t}_Account" --column Seen --seq
  migrate up
  equal "$(sql "SELECT count($column) FROM ${column/Seen/${t}_Account}")" 0
  migrate down
  migrate up
}

@test "1: a table that is not there: nothing was done" {
  migrate new --version-column ${t}_other --seq
  run -1 migrate up
  equal "$(states)" "1 applied, 2 $([ "$DBLOCK_TEST_BACKEND" = mysql ] && echo failed || echo pending)"
}
