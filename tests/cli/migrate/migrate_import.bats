#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate import, and adopt after it: what another tool has applied is not run again, by the history
# that the tool itself keeps (histories.bash). unit_migrate_import.bats has the formats.

setup() {
  load histories
  with_dir
  rmdir "$dir"
  theirs=$BATS_TEST_TMPDIR/theirs
  empty
}

# file PATH LINE...: makes a file of theirs, and its folder.
file() {
  mkdir -p "$(dirname "$theirs/$1")"
  printf '%s\n' "${@:2}" >"$theirs/$1"
}

# files TOOL N NAME...: makes the tool's files, numbered from N on, each of which makes a table of its name.
files() {
  local tool=$1 n=$2 name create drop
  rm -rf "$theirs" "$dir"
  for name in "${@:3}"; do
    create="CREATE TABLE $name (id INT);" drop="DROP TABLE $name;"
    case $tool in
    goose) file "${n}_$name.sql" '-- +goose Up' "$create" '-- +goose Down' "$drop" ;;
    dbmate) file "${n}_$name.sql" '-- migrate:up' "$create" '-- migrate:down' "$drop" ;;
    flyway) file "V${n}__$name.sql" "$create" && file "U${n}__$name.sql" "$drop" ;;
    sqlx) file "${n}_$name.up.sql" "$create" && file "${n}_$name.down.sql" "$drop" ;;
    diesel) file "${n:0:4}-${n:4:2}-${n:6:2}-${n:8}_$name/up.sql" "$create" &&
      file "${n:0:4}-${n:4:2}-${n:6:2}-${n:8}_$name/down.sql" "$drop" ;;
    prisma) file "${n}_$name/migration.sql" "$create" ;;
    liquibase) file "$n.sql" '--liquibase formatted sql' "--changeset a:$n" "$create" "--rollback $drop" ;;
    esac
    n=$((n + 1))
  done
}

import() {
  dblock migrate import "$theirs" --to "$dir"
}

# taken_over TOOL N: of four files, those that the tool has applied are not run, and the fourth is.
taken_over() {
  echo "$1"
  files "$1" "$2" first second third fourth
  import
  has "$1"
  run -0 --separate-stderr migrate adopt --yes
  equal "$(wc -l <<<"$output")" 3
  equal "$(states)" "$2 applied, $(($2 + 1)) applied, $(($2 + 2)) applied, $(($2 + 3)) pending"
  run -0 --separate-stderr migrate up
  equal "$(wc -l <<<"$output")" 1
  contains "$output" _fourth
  run -0 migrate down
  run ! sql "SELECT * FROM first" # nobody has made that one
}

@test "nothing is run again: goose, dbmate, Flyway, sqlx, diesel, Prisma" {
  local tool
  for tool in goose flyway sqlx; do
    taken_over "$tool" 1
  done
  for tool in dbmate diesel; do
    taken_over "$tool" 20240101000001
  done
  files prisma 20240101000001 first second third
  import
  has prisma
  run -0 migrate adopt --yes
  equal "$(states)" "20240101000001 applied, 20240101000002 applied, 20240101000003 applied"
  run -0 --separate-stderr migrate up
  contains "$stderr" "nothing to do"
}

@test "diesel's own first migration is taken over, if it is there" {
  files diesel 20240101000001 first second third
  file 00000000000000_diesel_initial_setup/up.sql 'SELECT 1;'
  import
  has diesel "DELETE FROM __diesel_schema_migrations WHERE version = '00000000000000'"
  sql "INSERT INTO __diesel_schema_migrations (version) VALUES ('00000000000000')"
  run -0 migrate adopt --yes
  equal "$(states)" "1 applied, 20240101000001 applied, 20240101000002 applied, 20240101000003 applied"
  rm "$dir"/0001_* # who left it out is not asked for it
  sql "DROP TABLE ${prefix}migration"
  run -0 migrate adopt --yes
  equal "$(states)" "20240101000001 applied, 20240101000002 applied, 20240101000003 applied"
}

# Flyway's files are at 1, 1.1, 2 and 3, where 1.1 is second; our numbers are others.
renumbered() {
  rm -rf "$theirs" "$dir"
  file V1__first.sql 'CREATE TABLE first (id INT);'
  file V1_1__second.sql 'CREATE TABLE second (id INT);'
  file V2__third.sql 'CREATE TABLE third (id INT);'
  file V3__fourth.sql 'CREATE TABLE fourth (id INT);'
  import
  has flyway "UPDATE flyway_schema_history SET version = '1.1' WHERE version = '2'"
  sql "UPDATE flyway_schema_history SET version = '2' WHERE version = '3'"
}

@test "Flyway's 1.1, which has no number of ours" {
  renumbered
  run -0 migrate adopt --yes
  equal "$(states)" "1 applied, 2 applied, 3 applied, 4 pending"
}

@test "Flyway's repeatable files are repeated once more, and then when they change" {
  renumbered
  rm -rf "$dir"
  file R__fourth.sql 'CREATE TABLE more (id INT);' 'DROP TABLE more;'
  import
  run -0 migrate adopt --yes
  run -0 migrate up
  equal "$(wc -l <<<"$output")" 2
  contains "$output" "R_fourth"
  run -0 --separate-stderr migrate up
  contains "$stderr" "nothing to do"
}

@test "Flyway's 1.1: a baseline, and what is missing" {
  renumbered
  sql "DELETE FROM flyway_schema_history WHERE version IS NULL OR version < '2'"
  sql "UPDATE flyway_schema_history SET type = 'BASELINE'"
  run -0 migrate adopt --yes
  equal "$(states)" "1 applied, 2 applied, 3 applied, 4 pending"
  renumbered
  rm "$dir"/0003_*
  run -4 --separate-stderr migrate adopt --yes
  contains "$stderr" "Flyway has applied what is not in this set: 2"
}

@test "what was imported is applied, undone and applied again" {
  local tool
  for tool in goose dbmate flyway sqlx diesel liquibase; do
    empty
    files "$tool" 20240101000001 first second third
    import
    run -0 migrate up
    run -0 migrate down --all --yes
    run -0 migrate up
    equal "$(wc -l <<<"$output")" 3
    sql "SELECT * FROM third"
  done
}
