#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate adopt: the histories of other tools, as histories/ has them (each from the tool's own
# source): three files, first, second and third. Each test leaves the database empty.

setup() {
  load histories
  with_dir
  empty
}

# files BEGINNING: three whose numbers begin so, and a fourth.
files() {
  local n name
  rm -f "$dir"/*.sql
  for n in 1_first 2_second 3_third 4_fourth; do
    name=${n#*_}
    echo "CREATE TABLE $name (id INT);" >"$dir/$1$n.sql"
  done
}

# The tools whose histories can be taken over; whose numbers are times.
numbered="golang-migrate goose flyway liquibase sqlx"
timed="dbmate rails diesel atlas prisma knex node-pg-migrate"

# Three of four files are applied; and the tool's table is as it was.
adopted() {
  run -0 --separate-stderr migrate adopt --yes
  equal "$(wc -l <<<"$output")" 3
  equal "$(states)" "${1}1 applied, ${1}2 applied, ${1}3 applied, ${1}4 pending"
  run -0 --separate-stderr migrate up
  contains "$output" "applied $(printf %04d "${1}4")_fourth"
  run -4 --separate-stderr migrate adopt --yes
  contains "$stderr" "recorded already"
}

@test "each tool is known: its files are not run again" {
  local file tool
  files ''
  for file in "$histories"/*."$dialect".sql; do
    tool=${file##*/}
    has "${tool%%.*}"
    run -4 --separate-stderr migrate up
    contains "$stderr" "has migrated this database"
    contains "$stderr" "nothing was done"
    run ! sql "SELECT * FROM fourth"
    case " $numbered $timed " in
    *" ${tool%%.*} "*) contains "$stderr" "'dblock migrate adopt" ;;
    *) contains "$stderr" "'dblock migrate baseline V" ;;
    esac
    echo "$stderr"
  done
}

@test "a history with numbers" {
  local tool
  files ''
  for tool in $numbered; do
    echo "$tool"
    ! has "$tool" || adopted ''
  done
}

@test "a history with times" {
  local tool
  files 2024010100000
  for tool in $timed; do
    echo "$tool"
    ! has "$tool" || adopted 2024010100000
  done
}

@test "Atlas in a schema of its own" {
  [ "$dialect" = postgresql ] || skip "only there has Atlas one, where the URL names none"
  files 2024010100000
  has atlas
  sql "CREATE SCHEMA atlas_schema_revisions; ALTER TABLE atlas_schema_revisions SET SCHEMA atlas_schema_revisions"
  run -4 --separate-stderr migrate up
  contains "$stderr" "its table atlas_schema_revisions is at 20240101000003"
  adopted 2024010100000
  sql "DROP SCHEMA atlas_schema_revisions CASCADE"
}

@test "up --adopt: all in one command, and where there is nothing to adopt as well" {
  files ''
  has golang-migrate
  run -0 --separate-stderr migrate up --adopt
  equal "$output" "$(grep fourth <<<"$output")"
  run -0 migrate up --adopt
  empty
  run -0 migrate up --adopt
  equal "$(states)" "1 applied, 2 applied, 3 applied, 4 applied"
  has alembic
  run -4 --separate-stderr migrate up --adopt
  contains "$stderr" "Alembic has migrated this database"
}

@test "a dirty history is explained" {
  files ''
  has golang-migrate "UPDATE schema_migrations SET dirty = TRUE"
  for command in "adopt --yes" "up --adopt"; do
    # shellcheck disable=SC2086 # words
    run -5 --separate-stderr migrate $command
    contains "$stderr" "golang-migrate has 3 as dirty"
    contains "$stderr" "'dblock migrate baseline 3"
    contains "$stderr" "'dblock migrate baseline 2"
  done
  run -0 migrate baseline 2 --yes
  equal "$(states)" "1 applied, 2 applied, 3 pending, 4 pending"
}

@test "what failed, was undone, or is a baseline" {
  files ''
  has flyway "UPDATE flyway_schema_history SET success = FALSE WHERE version = '3'"
  run -5 --separate-stderr migrate adopt --yes
  contains "$stderr" "Flyway has 3 as not finished"
  has flyway "UPDATE flyway_schema_history SET type = 'DELETE', version = '3' WHERE version IS NULL"
  run -0 migrate adopt --yes
  equal "$(states)" "1 applied, 2 applied, 3 pending, 4 pending"
  has flyway "DELETE FROM flyway_schema_history WHERE version IS NULL OR version < '3'"
  sql "UPDATE flyway_schema_history SET type = 'BASELINE'"
  run -0 migrate adopt --yes
  equal "$(states)" "1 applied, 2 applied, 3 applied, 4 pending"
  has goose "UPDATE goose_db_version SET is_applied = FALSE WHERE version_id = 3"
  run -0 migrate adopt --yes
  equal "$(states)" "1 applied, 2 applied, 3 pending, 4 pending"
}

@test "what the tool has applied, and is not here" {
  files ''
  rm "$dir"/2_second.sql
  has goose
  run -4 --separate-stderr migrate adopt --yes
  contains "$stderr" "goose has applied what is not in this set: 2"
  contains "$stderr" "'dblock migrate adopt --allow-missing"
  run ! sql "SELECT * FROM ${prefix}migration"
  run -0 migrate adopt --yes --allow-missing
  equal "$(states)" "1 applied, 3 applied, 4 pending"
}

@test "checksums, where they mean the same" {
  files ''
  has sqlx
  echo "CREATE TABLE third (id BIGINT);" >"$dir/3_third.sql"
  run -4 --separate-stderr migrate adopt --yes
  contains "$stderr" "changed after sqlx applied them: 3"
  # A checkout may have changed the ends of lines, here or there.
  printf 'CREATE TABLE third (id INT);\r\n' >"$dir/3_third.sql"
  run -0 migrate adopt --yes --dry-run
  sum=$(sha384sum <"$dir/3_third.sql")
  sum=${sum%% *}
  case $dialect in
  postgresql) sum="'\x$sum'" ;;
  *) sum="X'$sum'" ;;
  esac
  sql "UPDATE _sqlx_migrations SET checksum = $sum WHERE version = 3"
  run -0 migrate adopt --yes --dry-run
  files 2024010100000
  has prisma
  echo "CREATE TABLE first (id BIGINT);" >"$dir/20240101000001_first.sql"
  run -4 --separate-stderr migrate adopt --yes
  contains "$stderr" "changed after Prisma applied them: 20240101000001"
}

@test "a version that is no number goes by its name" {
  files ''
  has flyway "UPDATE flyway_schema_history SET version = '1.1' WHERE version = '2'"
  adopted ''
  cp "$dir/2_second.sql" "$dir/5_second.sql"
  has flyway "UPDATE flyway_schema_history SET version = '1.1' WHERE version = '2'"
  run -4 --separate-stderr migrate adopt --yes # which of the two?
  contains "$stderr" "not in this set: 1.1"
}

@test "--from, where there are two; and where there is none" {
  files ''
  run -2 --separate-stderr migrate adopt --yes
  contains "$stderr" "no history of another tool here"
  contains "$stderr" "golang-migrate, Rails"
  has golang-migrate
  client <"$histories/goose.$dialect.sql" >/dev/null
  sql "DELETE FROM goose_db_version WHERE version_id > 1"
  run -2 --separate-stderr migrate adopt --yes
  contains "$stderr" "--from"
  client <"$histories/alembic.$dialect.sql" >/dev/null
  run -2 --separate-stderr migrate adopt --yes
  lacks "$stderr" Alembic # it cannot be chosen
  run -2 --separate-stderr migrate adopt --yes --from sqlx
  contains "$stderr" "no history of sqlx here"
  run -0 migrate adopt --yes --from Goose
  equal "$(states)" "1 applied, 2 pending, 3 pending, 4 pending"
}

@test "it shows what it would do, and asks" {
  files ''
  has golang-migrate
  run -0 --separate-stderr migrate adopt --dry-run
  contains "$stderr" "golang-migrate has applied 3 of these files; its table schema_migrations is at 3"
  contains "$stderr" "0003_third: would be recorded as applied"
  contains "$stderr" "0004_fourth: stays pending"
  run ! sql "SELECT * FROM ${prefix}migration"
  run -2 --separate-stderr migrate adopt </dev/null
  contains "$stderr" "--yes"
  migrate_json adopt --yes
  equal "$(field ok) $(field command) $(field migrations '#')" "true adopt 3"
}

@test "a repeatable file goes by its name" {
  files ''
  echo "CREATE TABLE again (id INT);" >"$dir/R_again.sql"
  has flyway
  run -0 --separate-stderr migrate adopt --yes
  contains "$stderr" "  R_again: stays pending"
  equal "$(wc -l <<<"$output")" 3
}

@test "somebody else is migrating, for longer than --wait: 6, and nothing is written" {
  [ "$dialect" = sqlite ] || skip "remote servers' gate is that of up: db.migrate_herd"
  files ''
  has golang-migrate
  migrate status # the file is in WAL mode from here on
  in_transaction "INSERT INTO schema_migrations VALUES (4, 0)"
  run -6 --separate-stderr migrate adopt --yes --wait 0
  contains "$stderr" "another process that is migrating"
  end_transaction
  run ! sql "SELECT * FROM ${prefix}migration"
}
