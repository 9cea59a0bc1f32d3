#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock schema on a database that version 0.1.0 made (db/migrate/upgrade/0.1.0): what it says of
# it, and the result. Each test has its own tables, by prefix.

setup() {
  load ../kit
}

# Runs the database's own client, with the character set of dblock.
as_dblock() {
  { [ "$DBLOCK_TEST_BACKEND" != mysql ] || echo "SET NAMES utf8mb4 COLLATE utf8mb4_bin;"; cat; } | client
}

# old PREFIX: makes such a database.
old() {
  sed "s/dblock_/$1/g" "$DBLOCK_SOURCE_DIR/tests/db/migrate/upgrade/0.1.0/$DBLOCK_TEST_BACKEND.sql" | as_dblock
}

# catalog PREFIX: prints all tables and views with it, as the database describes them, without the
# prefix.
catalog() {
  local table
  case $DBLOCK_TEST_BACKEND in
  sqlite)
    sql "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE tbl_name LIKE '$1%' ORDER BY type, name" |
      sed 's/--.*//; s/"//g' | tr -s ' \t\n' ' '
    ;;
  postgresql) pg_dump --schema-only --no-owner -t "$1*" "$DBLOCK_TEST_URL" | grep -v '^--\|restrict' ;;
  mysql)
    sql "SELECT table_name FROM information_schema.tables
      WHERE table_schema = DATABASE() AND table_name LIKE '$1%' ORDER BY 1" |
      while read -r table; do
        sql "SHOW CREATE TABLE $table" | sed 's/ AUTO_INCREMENT=[0-9]*//'
      done
    ;;
  esac | sed "s/$1//g"
}

is_as_fresh() {
  needs_pg_dump
  dblock -q --prefix fresh_ schema up
  catalog fresh_ >"$BATS_TEST_TMPDIR/fresh"
  catalog "$1" >"$BATS_TEST_TMPDIR/upgraded"
  for table in session lock queue floor once request flight revocation suspect held waits protocol event quorum guard; do
    grep -q "$table" "$BATS_TEST_TMPDIR/fresh"
  done
  cmp "$BATS_TEST_TMPDIR/fresh" "$BATS_TEST_TMPDIR/upgraded"
}

@test "before: each command says what it is, and what to do; nothing is dropped under its holders" {
  old told_
  run -78 --separate-stderr dblock --prefix told_ ls
  contains "$stderr" "too old for this library: migration 0019_dblock was never applied"
  contains "$stderr" "run 'dblock schema up --prefix told_'"
  run -0 dblock --prefix told_ schema status
  equal "${#lines[@]}" 9
  [[ ${lines[1]} =~ ^0015\ +flight\ +applied\ .*\ root@oldhost ]]
  [[ ${lines[2]} =~ ^0019\ +dblock\ +pending ]]
  [[ ${lines[3]} =~ ^0020\ +protocol\ +pending ]]
  [[ ${lines[4]} =~ ^0021\ +event\ +pending ]]
  [[ ${lines[5]} =~ ^0022\ +quorum\ +pending ]]
  [[ ${lines[6]} =~ ^0023\ +outbox\ +pending ]]
  [[ ${lines[7]} =~ ^0024\ +global\ +pending ]]
  [[ ${lines[8]} =~ ^0025\ +pools\ +pending ]]
  run -3 dblock --prefix told_ schema status --check
  run -0 dblock --prefix told_ schema verify --strict
  run -0 dblock --prefix told_ schema plan
  equal "$(grep '^[0-9]' <<<"$output" | cut -c 1-11)" "0019_dblock
0020_protoc
0021_event:
0022_quorum
0023_outbox
0024_global
0025_pools:"
  run -2 dblock --prefix told_ doctor
  contains "$output" "7 of 8 migrations are not applied; the first is 0019_dblock"
  run -1 --separate-stderr dblock --prefix told_ schema down --all --yes
  contains "$stderr" "the tables are of an older dblock (0015_flight), and not brought up to date"
  contains "$stderr" "run 'dblock schema up --prefix told_' first"
  equal "$(sql 'SELECT count(*) FROM told_lock')" 10
}

@test "up: all is as in a fresh database; down leaves nothing, and no row of the history" {
  old old_
  run -0 dblock --prefix old_ schema up
  equal "${#lines[@]}" 7
  is_as_fresh old_
  run -0 dblock --prefix old_ schema status --check
  run -0 dblock --prefix old_ schema verify --strict
  run -0 dblock --prefix old_ schema status
  equal "$(grep -c ' applied ' <<<"$output")" 8
  contains "$(dblock --prefix old_ doctor)" "all 8 migrations are applied"
  run -2 --separate-stderr dblock --prefix old_ schema down --to 15 --yes
  contains "$stderr" "no migration 15 in this set"
  sql "UPDATE old_lock SET session = NULL, expires = NULL; DELETE FROM old_queue"
  run -0 dblock --prefix old_ schema down --yes
  contains "$output" "undone 0025_pools"
  run -1 --separate-stderr dblock --prefix old_ schema down --yes
  contains "$stderr" "not brought up to date"
  run -0 dblock --prefix old_ schema up
  run -0 dblock --prefix old_ schema down --all --yes
  equal "${#lines[@]}" 7
  equal "$(sql 'SELECT count(*) FROM old_migration')" 0
  dblock -q --prefix old_ schema up
  is_as_fresh old_
}

@test "the script of plan --sql does the same" {
  old script_
  dblock --prefix script_ schema plan --sql | as_dblock >/dev/null
  run -0 --separate-stderr dblock --prefix script_ schema up
  equal "$output" ""
  is_as_fresh script_
}

@test "tables from between releases: refused by name, and what to do" {
  old between_
  sql "DELETE FROM between_migration WHERE version > 12"
  run -1 --separate-stderr dblock --prefix between_ schema up
  contains "$stderr" "their last migration is 0012_waiter_gone (applied), and that of version 0.1.0 is 0015"
  contains "$stderr" "next:  let version 0.1.0 bring them up to that"
  run -78 --separate-stderr dblock --prefix between_ --auto-migrate ls
  contains "$stderr" "0012_waiter_gone"
  run -1 dblock --prefix between_ schema plan
  equal "$(sql 'SELECT count(*) FROM between_migration')" 12
}
