#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate import: another tool's folder becomes one of ours, as a whole or not at all. No database.
# (migrate_import.bats has what `adopt` makes of it.)

setup() {
  load migrate
  mkdir -p "$BATS_TEST_TMPDIR/folders/in"
  cd "$BATS_TEST_TMPDIR/folders"
}

# file PATH LINE...: makes a file in the folder `in`, and its folder.
file() {
  mkdir -p "$(dirname "in/$1")"
  printf '%s\n' "${@:2}" >"in/$1"
}

import() {
  run --separate-stderr dblock migrate import in --to out --dialect postgresql "$@"
}

# imported [OPTION...]: it works, and nothing else than OUT was made.
imported() {
  import "$@"
  equal "$status $(ls)" "0 in
out"
}

# refused TEXT...: it ends with 2, says each text, and leaves nothing behind.
refused() {
  local text
  import
  equal "$status" 2
  for text in "$@"; do
    contains "$stderr" "$text"
  done
  contains "$stderr" "next:  "
  equal "$output$(ls)" in
}

# bad TEXT...: the same, and the folder is emptied.
bad() {
  refused "$@"
  rm -rf in
  mkdir in
}

# text FILE LINE...: OUT has this file, with these lines.
text() {
  printf '%s\n' "${@:2}" | cmp - "out/$1"
}

@test "goose" {
  file 00001_a.sql '-- Copyright' '' '-- +goose Up' 'CREATE TABLE a (i INT);' '-- +goose StatementBegin' \
    'DO $$ BEGIN PERFORM 1; END $$;' '-- +goose StatementEnd' '' '-- +goose Down' \
    'DROP TABLE a;'
  file 20240101000002_b.sql '-- +goose NO TRANSACTION' '-- +goose up' 'VACUUM;'
  file README.md 'not one of them'
  imported
  equal "$output" "in/00001_a.sql -> out/0001_a.up.sql
in/00001_a.sql -> out/0001_a.down.sql
in/20240101000002_b.sql -> out/20240101000002_b.sql"
  text 0001_a.up.sql '-- Copyright' 'CREATE TABLE a (i INT);' \
    'DO $$ BEGIN PERFORM 1; END $$;' ''
  text 0001_a.down.sql 'DROP TABLE a;'
  text 20240101000002_b.sql '-- no-transaction' 'VACUUM;'
}

@test "on SQLite a file is one transaction, whatever its head says" {
  file 1_a.sql '-- +goose NO TRANSACTION' '-- +goose Up' 'PRAGMA foreign_keys = OFF;' 'CREATE TABLE a (i INT);' \
    'PRAGMA foreign_keys = ON;'
  imported --dialect sqlite
  text 0001_a.sql 'PRAGMA foreign_keys = OFF;' 'CREATE TABLE a (i INT);' 'PRAGMA foreign_keys = ON;'
}

@test "goose: what is wrong" {
  file 1_a.sql 'SELECT 1;' '-- +goose Down' 'SELECT 2;'
  bad "in/1_a.sql:1: a statement before '-- +goose Up'"
  file 1_a.sql '-- just words' '-- +goose NO TRANSACTION'
  bad "in/1_a.sql:1: there is no '-- +goose Up' in it"
  file 1_a.sql '-- +goose Up' 'SELECT 1;' '-- +goose StatementEnd'
  bad "in/1_a.sql:3: this StatementEnd has no '-- +goose StatementBegin'"
  file 1_a.sql '-- +goose Up' '-- +goose StatementBegin' 'SELECT 1;' '-- +goose Down'
  bad "in/1_a.sql:2: this StatementBegin has no '-- +goose StatementEnd'"
  file 1_a.sql '-- +goose Up' '-- +goose Dwon'
  bad "in/1_a.sql:2: 'Dwon' is no command of goose"
  file 1_a.sql '-- +goose Up' '-- +goose Up'
  file 0001_b.sql '-- +goose Up'
  file 99999999999999999999_c.sql '-- +goose Up'
  file x.sql '-- +goose Up'
  file 2_d.go '// 2_d' 'func init() { goose.AddMigrationContext(up, down) }'
  bad "in/1_a.sql:2: a second '-- +goose Up'" "in/1_a.sql: in/0001_b.sql has the same number, or name" \
    "in/99999999999999999999_c.sql: its number is too large" "in/x.sql: this is no migration" \
    "in/2_d.go:2: this is Go" "5 things cannot be taken over"
}

@test "the line that is named is the one in their file" {
  file 1_a.sql '-- +goose Up' '-- +goose NO TRANSACTION' 'CREATE TABLE a (i INT);' '-- +goose Down' \
    'DROP TABLE a;' "SELECT 'open;"
  bad "in/1_a.sql:6:8: this ' is never closed" "nothing was written"
  file 1_a.sql '-- +goose Up' '-- +goose NO TRANSACTION' '' "SELECT 'open;"
  bad "in/1_a.sql:4:8: this ' is never closed"
  printf -- '-- +goose Up\nSELECT 1;\n-- \377\n' >in/1_a.sql
  bad "in/1_a.sql:3:"
  printf -- '-- +goose Up\nSELECT 1;\0\n' >in/1_a.sql
  bad "in/1_a.sql:2:"
}

@test "what cannot be read" {
  file 1_a.sql '-- +goose Up'
  mkdir in/2_b.sql
  ln -s nowhere in/3_c.sql
  mkfifo in/4_d.sql
  bad "in/2_b.sql: cannot be read: Is a directory" "in/3_c.sql: cannot be read: No such file" \
    "in/4_d.sql: cannot be read: "
  bad "in: there are no migrations here that dblock can read"
  rmdir in
  import
  equal "$status" 2
  contains "$stderr" "in: cannot be read as a folder"
}

@test "variables: only what the environment has, and only with --env" {
  local a='CREATE TABLE ${A}_b (i INT DEFAULT ${N:-7});'
  file 1_a.sql '-- +goose Up' 'SELECT $A;' '-- +goose ENVSUB ON' "$a" '-- +goose ENVSUB OFF' "SELECT '\$A';"
  refused 'in/1_a.sql:4: ${A} is a variable' 'in/1_a.sql:4: ${N:-7} is a variable'
  import --env
  equal "$status" 2
  contains "$stderr" 'in/1_a.sql:4: ${A} has no value'
  lacks "$stderr" 'N:-7'
  A=shop imported --env
  text 0001_a.sql 'SELECT $A;' 'CREATE TABLE shop_b (i INT DEFAULT 7);' "SELECT '\$A';"
}

@test "variables: as goose writes them" {
  file 1_a.sql '-- +goose ENVSUB ON' '-- +goose Up' 'SELECT $A, ${A}b, ${B-1}, ${C:-2}, ${D-3};' "SELECT '\\\$A', '\$\$A';"
  A=a B='' C='' imported --env
  text 0001_a.sql 'SELECT a, ab, , 2, 3;' "SELECT '\$A', '\$A';"
  file 1_a.sql '-- +goose ENVSUB ON' '-- +goose Up' 'SELECT ${A:?it is needed};'
  import --to out2 --env
  equal "$status" 2
  contains "$stderr" 'in/1_a.sql:3: ${A:?it is needed} has no value'
}

@test "dbmate" {
  file 20240101000001_a.sql '-- migrate:up' 'CREATE TABLE a (i INT);' '' '-- migrate:down' 'DROP TABLE a;'
  file 20240101000002-b.sql '--migrate:up transaction:false' 'VACUUM;' '-- migrate:down transaction:false' 'VACUUM;'
  file 20240101000003_c.sql '-- migrate:up' 'SELECT 1;' '' '-- migrate:down' ''
  imported
  text 20240101000001_a.up.sql 'CREATE TABLE a (i INT);' ''
  text 20240101000001_a.down.sql 'DROP TABLE a;'
  text 20240101000002_b.up.sql '-- no-transaction' 'VACUUM;'
  text 20240101000002_b.down.sql '-- no-transaction' 'VACUUM;'
  text 20240101000003_c.sql 'SELECT 1;' ''
}

@test "dbmate: what is wrong" {
  file 1_a.sql '-- migrate:up transaction:maybe' 'SELECT 1;' '-- migrate:down'
  file 2_b.sql '-- migrate:down' 'SELECT 1;'
  file 3_c.sql 'SELECT 1;' '-- migrate:up'
  file 4_d.sql '-- nothing'
  file 5_e.sql '-- migrate:up' '-- migrate:up'
  file 6_f.sql '-- migrate:up' '-- migrate:down' '-- migrate:down'
  bad "in/1_a.sql:1: 'transaction:maybe' is no option" "in/2_b.sql:1: '-- migrate:down' comes before" \
    "in/3_c.sql:1: a statement before '-- migrate:up'" "in/4_d.sql:1: there is no '-- migrate:up'" \
    "in/5_e.sql:2: a second '-- migrate:up'" "in/6_f.sql:3: a second '-- migrate:down'"
}

@test "Flyway: numbers stay" {
  file V2__add_owner.sql 'CREATE TABLE b (i INT);'
  file sub/V1__create_person.sql 'CREATE TABLE a (i INT);'
  file U2__add_owner.sql 'DROP TABLE b;'
  file V10__index.sql 'VACUUM;'
  file V10__index.sql.conf '# why' 'executeInTransaction=false'
  file B2__all.sql 'CREATE TABLE ab (i INT);'
  imported
  contains "$stderr" "warning: in/B2__all.sql: a baseline is left out"
  equal "$(ls out)" "0001_create_person.sql
0002_add_owner.down.sql
0002_add_owner.up.sql
0010_index.sql"
  text 0002_add_owner.down.sql 'DROP TABLE b;'
  text 0010_index.sql '-- no-transaction' 'VACUUM;'
}

@test "Flyway: what is repeated" {
  file V1.1__a.sql 'SELECT 1;'
  file R__some_views.sql 'SELECT 2;'
  file sub/R__grants.sql 'SELECT 3;'
  imported
  equal "$(ls out)" "0001_V1.1__a.sql
R_grants.sql
R_some_views.sql"
  text R_grants.sql 'SELECT 3;'
  rm -rf out
  file other/R__grants.sql "SELECT 'open"
  refused "in/sub/R__grants.sql: in/other/R__grants.sql has the same number, or name"
  rm in/sub/R__grants.sql
  refused "in/other/R__grants.sql:1:8: this ' is never closed"
}

@test "Flyway: without a transaction where PostgreSQL wants it so" {
  file V1__a.sql 'create index concurrently a on t (i);' 'DROP INDEX CONCURRENTLY b;'
  file V2__b.sql '-- not CREATE INDEX CONCURRENTLY' 'SELECT 1;'
  imported
  text 0001_a.sql '-- no-transaction' 'create index concurrently a on t (i);' 'DROP INDEX CONCURRENTLY b;'
  cmp in/V2__b.sql out/0002_b.sql
}

@test "Flyway: versions that are no numbers of ours stay in the name" {
  file V1__a.sql 'SELECT 1;'
  file V1.2__b.sql 'SELECT 12;'
  file V1_10__c.sql 'SELECT 110;'
  file V2__d.sql 'SELECT 2;'
  imported
  equal "$(ls out)" "0001_V1__a.sql
0002_V1.2__b.sql
0003_V1.10__c.sql
0004_V2__d.sql"
  text 0003_V1.10__c.sql 'SELECT 110;'
}

@test "Flyway: what is wrong" {
  file V1_a.sql 'SELECT 1;'
  file V1.__b.sql 'SELECT 1;'
  file V3__c.sql "SELECT '\${schema}', '\${flyway:user}';"
  file V2.0__d.sql 'SELECT 1;'
  file V2__d.sql 'SELECT 1;'
  file U7__e.sql 'SELECT 1;'
  file V8__f.sql 'SELECT 1;'
  file V8__f.sql.conf 'shouldExecute=false'
  file V9__G.java '' 'public class V9__G extends BaseJavaMigration {'
  file afterMigrate.sql 'SELECT 1;'
  bad "in/V1_a.sql: this is no name that Flyway gives" "in/V1.__b.sql: this is no name" \
    'in/V3__c.sql:1: ${schema} is a variable' 'in/V3__c.sql:1: ${flyway:user} is a variable' \
    "in/V2__d.sql: in/V2.0__d.sql has the same version" "in/U7__e.sql: what it undoes, V7__, is missing" \
    "in/V8__f.sql.conf:1: dblock has no such setting" "in/V9__G.java:2: this is Java" \
    "in/afterMigrate.sql: this is a callback"
}

@test "sqlx and golang-migrate: the bytes stay" {
  printf 'CREATE TABLE a (i INT)\r\n' >in/1_a.sql
  file 2_b.sql '-- no-transaction' 'VACUUM;'
  imported --from sqlx
  cmp in/1_a.sql out/0001_a.sql
  cmp in/2_b.sql out/0002_b.sql
  rm -rf in out
  file 000003_c.up.sql 'CREATE TABLE c (i INT);'
  file '000003_c.down.sql' 'DROP TABLE c;'
  file '000005_some words.up.db.sql' 'CREATE TABLE d (i INT);'
  imported
  equal "$(ls out)" "0003_c.down.sql
0003_c.up.sql
0005_some_words.sql"
}

@test "golang-migrate and sqlx: what is wrong" {
  file 0_a.up.sql 'SELECT 1;'
  file 1_b.up.sql 'SELECT 1;'
  file 01_c.up.sql 'SELECT 1;'
  file 4_d.down.sql 'SELECT 1;'
  file seed.sql 'SELECT 1;'
  file 7_x.up.js 'exports.up = 1'
  bad "in/0_a.up.sql: 0 is no number for a migration here, and 1 is taken" \
    "in/1_b.up.sql: in/01_c.up.sql has the same number, or name" "in/4_d.down.sql: what it undoes is missing" \
    "in/seed.sql: this is no migration" "in/7_x.up.js:1: this is JavaScript"
  file 0_a.up.sql 'SELECT 1;'
  imported
  contains "$stderr" "in/0_a.up.sql: 0 is no number for a migration here: it becomes 1"
  text 0001_a.sql 'SELECT 1;'
}

@test "diesel" {
  file 00000000000000_diesel_initial_setup/up.sql 'SELECT 1;'
  file 00000000000000_diesel_initial_setup/down.sql 'SELECT 2;'
  file 2024-01-01-000002_b/up.sql 'VACUUM;'
  file 2024-01-01-000002_b/down.sql 'VACUUM;'
  file 2024-01-01-000002_b/metadata.toml 'run_in_transaction = false # as it must be'
  file 2024-01-01-000003_c/up.sql 'SELECT 3;'
  file 2024-01-01-000003_c/metadata.toml 'run_in_transaction = true'
  imported
  text 0001_diesel_initial_setup.down.sql 'SELECT 2;'
  text 20240101000002_b.up.sql '-- no-transaction' 'VACUUM;'
  text 20240101000002_b.down.sql '-- no-transaction' 'VACUUM;'
  text 20240101000003_c.sql 'SELECT 3;'
}

@test "diesel: what is wrong" {
  file 2024-01-01-000001_a/up.sql 'SELECT 1;'
  file 2024-01-01-000001_a/metadata.toml 'run_in_transaction = "no"'
  file 2024-01-01-000002_b/down.sql 'SELECT 1;'
  file 20240101-000001_c/up.sql 'SELECT 1;'
  file next_d/up.sql 'SELECT 1;'
  file stray.sql 'SELECT 1;'
  bad "in/2024-01-01-000001_a/metadata.toml:1: run_in_transaction is neither" \
    "in/2024-01-01-000002_b: there is no up.sql in it" "in/20240101-000001_c/up.sql: in/2024-01-01-000001_a/up.sql has the same number, or name" \
    "in/next_d: this is no migration" "in/stray.sql: a file beside the folders"
}

@test "Prisma: the database is that of its lock" {
  file migration_lock.toml '# no hands' 'provider = "postgresql"'
  file 0_init/migration.sql 'CREATE TABLE a (i INT);'
  file 20240101000001_b/migration.sql "SELECT \$\$;\$\$;"
  run -0 --separate-stderr dblock migrate import in --to out
  equal "$(ls out)" "0001_0_init.sql
20240101000001_b.sql"
  cmp in/20240101000001_b/migration.sql out/20240101000001_b.sql
}

@test "Prisma: what is wrong" {
  file migration_lock.toml 'provider = "sqlserver"'
  file 20240101000001_a/migration.sql 'SELECT 1;'
  file 20240101000001_b/migration.sql 'SELECT 1;'
  file 20240101000002_c/steps.json '{}'
  bad "in/migration_lock.toml:1: these files are for sqlserver" "_b/migration.sql: in/20240101000001_a/" \
    "in/20240101000002_c: there is no migration.sql"
}

@test "Sourcegraph" {
  file 1528395700/up.sql 'BEGIN;' 'CREATE TABLE a (i INT);' 'COMMIT;'
  file 1528395700/down.sql 'DROP TABLE a;'
  file 1528395700/metadata.yaml "name: 'squashed migrations'"
  file 1528395800/up.sql 'CREATE INDEX CONCURRENTLY b ON a (i);'
  file 1528395800/down.sql 'DROP INDEX b;'
  file 1528395800/metadata.yaml 'name: add index' 'parents: [1528395700]' 'createIndexConcurrently: true'
  run -0 --separate-stderr dblock migrate import in --to out
  equal "$(ls out)" "1528395700_squashed_migrations.down.sql
1528395700_squashed_migrations.up.sql
1528395800_add_index.down.sql
1528395800_add_index.up.sql"
  text 1528395800_add_index.up.sql '-- no-transaction' 'CREATE INDEX CONCURRENTLY b ON a (i);'
  text 1528395800_add_index.down.sql 'DROP INDEX b;'
}

@test "Sourcegraph: what is wrong" {
  file 1/up.sql 'SELECT 1;'
  file 1/metadata.yaml 'name: a' 'parents: [2]'
  file 2/down.sql 'SELECT 1;'
  file 2/metadata.yaml 'name: b'
  file x/up.sql 'SELECT 1;'
  file x/metadata.yaml 'name: c'
  file 3/up.sql 'SELECT 1;'
  bad "in/1/metadata.yaml:2: its parent 2 comes after it" "in/2: there is no up.sql in it" \
    "in/x: this is no migration" "in/3: there is no metadata.yaml in it"
}

@test "Rails: the structure, as one file" {
  file structure.sql 'CREATE TABLE a (i INT);' 'CREATE TABLE schema_migrations (version varchar);' \
    'INSERT INTO "schema_migrations" (version) VALUES' "('20240101000003')," "('20240101000002');" \
    "INSERT INTO x VALUES ('99999999999999');"
  imported
  cmp in/structure.sql out/20240101000003_structure.sql
  contains "$stderr" "dblock migrate baseline 20240101000003"
  rm -rf out
  file structure.sql 'CREATE TABLE a (i INT);'
  bad "in/structure.sql: there is no INSERT INTO schema_migrations"
  file 20240101000001_a.rb 'class A < ActiveRecord::Migration[7.0]'
  bad "in/20240101000001_a.rb:1: this is Ruby" "schema_format = :sql"
  file schema.rb 'ActiveRecord::Schema.define'
  bad "in/schema.rb:1: this is Ruby"
}

@test "Liquibase's formatted SQL" {
  file 1.sql '--liquibase formatted sql' '' '--changeset me:1-a' 'CREATE TABLE a (i INT);' '--rollback DROP TABLE a;' \
    '-- changeset me:2 runInTransaction:false splitStatements:true' 'VACUUM;' '--rollback not required'
  imported
  text 0001_a.down.sql 'DROP TABLE a;'
  text 0001_a.up.sql 'CREATE TABLE a (i INT);'
  text 0002_changeset.sql '-- no-transaction' 'VACUUM;'
  rm -rf out
  file 1.sql '--liquibase formatted sql' '--changeset me:create-a' 'SELECT 1;' '--changeset me:zap' 'SELECT 2;'
  imported
  equal "$(ls out)" "0001_create-a.sql
0002_zap.sql"
}

@test "Liquibase: what is wrong" {
  file 1.sql '--liquibase formatted sql' 'SELECT 1;' '--changeset me:1 runOnChange:true' 'SELECT 1;' \
    '--changeset me' '--changeset me:named' '--preconditions onFail:HALT' 'SELECT 2;'
  file 2.sql 'SELECT 1;'
  file changelog.xml '<?xml?>' '<databaseChangeLog>' '<changeSet id="1" author="me">'
  bad "in/1.sql:2: a statement outside of a changeset" "in/1.sql:3: 'runOnChange:true' has no meaning" \
    "in/1.sql:5: a changeset without an id" "in/1.sql:7: a command of Liquibase" \
    "in: some changesets' ids begin with a number" "in/2.sql:1: the first line is not" \
    "in/changelog.xml:3: this is XML"
}

@test "--from, where the files do not tell" {
  file 1_a.sql '-- +goose Up' 'SELECT 1;'
  file 2_b.sql '-- migrate:up' 'SELECT 1;' '-- migrate:down'
  refused "these could be files of goose, and of dbmate" "--from goose, or --from dbmate"
  import --from dbmate
  contains "$stderr" "in/1_a.sql:2: a statement before"
  import --from Sqitch
  equal "$status" 2
  contains "$stderr" "there is no import from 'Sqitch'"
}

@test "what has no meaning here is left out only if that is allowed" {
  file 1_a.sql '-- +goose Up' 'SELECT 1;'
  file 2_b.go 'package db' 'func init() { goose.AddMigration(up, down) }'
  refused "error: in/2_b.go:2: this is Go" "--allow-missing"
  imported --allow-missing
  contains "$stderr" "warning: in/2_b.go:2: this is Go"
  text 0001_a.sql 'SELECT 1;'
}

@test "OUT is made as a whole, from nothing" {
  file 1_a.sql '-- +goose Up' 'SELECT 1;'
  import --dry-run
  equal "$output$(ls)" "in/1_a.sql -> out/0001_a.sqlin"
  mkdir out
  imported --quiet
  import
  equal "$status" 2
  contains "$stderr" "out is there, and not empty"
  run -2 dblock migrate import in --to in --dialect sqlite
  run -2 --separate-stderr dblock migrate import in --to no/such --dialect sqlite
  contains "$stderr" "no/such: cannot be made"
  run -2 dblock migrate import in --to '' --dialect sqlite
  touch file
  run -2 dblock migrate import in --to file --dialect sqlite
  run -2 --separate-stderr dblock migrate import in --dir file --dialect sqlite
  contains "$stderr" "--to OUT"
  run -2 dblock migrate import
  equal "$(ls)" "file
in
out"
}

@test "which database they are for: --dialect, or the URL" {
  file 1_a.sql '-- +goose Up' "SELECT \$\$;' ;\$\$;"
  unset DBLOCK_URL
  run -2 --separate-stderr dblock migrate import in
  contains "$stderr" "add --dialect sqlite, postgresql or mysql"
  run -2 --separate-stderr dblock migrate import in --dialect oracle
  contains "$stderr" "'oracle' is no kind of database"
  run -2 dblock migrate import in --dialect sqlite
  run -0 dblock -u postgresql://nowhere/ migrate import in
  equal "$(ls migrations)" 0001_a.sql
}

@test "--json" {
  file 1_a.sql '-- +goose Up' 'SELECT 1;' '-- +goose Down' 'SELECT 2;'
  json=$(dblock --json migrate import in --to out --dialect sqlite)
  equal "$(field ok) $(field command) $(field tool) $(field files 1)" "true import goose out/0001_a.down.sql"
  equal "$(field imported 0 file) $(field imported 0 to)" "in/1_a.sql out/0001_a.up.sql"
  file 2_b.go 'package db'
  run -2 --separate-stderr dblock --json migrate import in --to out2 --dialect sqlite
  json=$output
  equal "$(field ok) $(field error code) $(field problems 0 code)" "false DBLOCK_E_INVALID left out"
  equal "$(field problems 0 file) $(field problems 0 line)" "in/2_b.go 1"
  rm in/2_b.go
  echo "SELECT 'open" >>in/1_a.sql
  run -2 --separate-stderr dblock --json migrate import in --to out2 --dialect sqlite
  json=$output
  equal "$(field error file) $(field error line)" "in/1_a.sql 5"
}

@test "the other commands name it, where they meet another tool's files" {
  local from='dblock migrate import in --to OUT'
  file 1_a.sql '-- +goose Up' 'SELECT 1;'
  run -2 --separate-stderr dblock -u sqlite:a.db migrate up --dir in
  contains "$stderr" "$from"
  rm in/*
  file V1__a.sql 'SELECT 1;'
  run -2 --separate-stderr dblock -u sqlite:a.db migrate up --dir in
  contains "$stderr" "$from"
  rm in/*
  file 20240101000001_a/migration.sql 'SELECT 1;'
  run -2 --separate-stderr dblock -u sqlite:a.db migrate up --dir in
  contains "$stderr" "$from"
}
