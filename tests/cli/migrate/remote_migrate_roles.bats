#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate is run by people who may not do all, in unusual places, and by several at once
# (case 25 of tests/migrate-cases.md).

setup() {
  load migrate
  with_dir
}

teardown() {
  end_background
}

# Makes a user who may read the tables, and no more: $their_url.
reader() {
  local name=r$$_$t
  case $DBLOCK_TEST_BACKEND in
  postgresql)
    sql "CREATE ROLE $name LOGIN PASSWORD 's3kr3t'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO $name"
    their_url=${DBLOCK_TEST_TCP_URL/postgres@/$name:s3kr3t@}
    ;;
  mysql)
    sql "CREATE USER $name@'%' IDENTIFIED BY 's3kr3t'; GRANT SELECT ON *.* TO $name@'%'"
    their_url=$(sed -E "s#//[^@]*@#//$name:s3kr3t@#" <<<"$DBLOCK_TEST_TCP_URL")
    ;;
  esac
}

no_reader() {
  case $DBLOCK_TEST_BACKEND in
  postgresql) sql "DROP OWNED BY r$$_$t; DROP ROLE r$$_$t" ;;
  mysql) sql "DROP USER r$$_$t" ;;
  esac
}

# theirs COMMAND [ARG...]: runs it as the reader, also as JSON.
theirs() {
  dblock -u "$their_url" --prefix "$prefix" migrate "$@" --dir "$dir" 2>&1
  code=$?
  dblock --json -u "$their_url" --prefix "$prefix" migrate "$@" --dir "$dir" 2>&1
  return "$code"
}

@test "who may only read: 0 if there is nothing to do, 7 if there is; and never a password" {
  local command
  three
  migrate up --to 2
  reader
  run -7 theirs up
  contains "$output" denied
  lacks "$output" "applied 0003"
  lacks "$output" s3kr3t
  for command in status plan verify; do
    run -0 theirs "$command"
    lacks "$output" s3kr3t
  done
  equal "$(states)" "1 applied, 2 applied, 3 pending"
  migrate up
  run -0 theirs up
  lacks "$output" s3kr3t
  their_url=${their_url/s3kr3t/wr0ng}
  run -7 theirs up
  lacks "$output" wr0ng
  no_reader
}

# The history is in a schema, or on MySQL in a database.
@test "the history in a schema of its own; the application's tables where they were" {
  local place=h${BATS_TEST_NUMBER}_$$
  sql "CREATE SCHEMA $place"
  three
  run -0 dblock --schema "$place" --prefix "$prefix" migrate up --dir "$dir"
  equal "${#lines[@]}" 3
  equal "$(sql "SELECT count(*) FROM $place.${prefix}migration WHERE scope = 'app'")" 3
  equal "$(sql "SELECT count(*) FROM ${t}_customer")" 2
  run ! sql "SELECT * FROM ${prefix}migration"
  run ! sql "SELECT * FROM $place.${t}_customer"
  run -0 --separate-stderr dblock --schema "$place" --prefix "$prefix" migrate up --dir "$dir"
  contains "$stderr" "nothing to do"
  run -0 dblock --schema "$place" --prefix "$prefix" migrate verify --dir "$dir"
  run -0 dblock --schema "$place" --prefix "$prefix" migrate down --all --yes --dir "$dir"
  case $DBLOCK_TEST_BACKEND in
  postgresql) sql "DROP SCHEMA $place CASCADE" ;;
  mysql) sql "DROP SCHEMA $place" ;;
  esac
}

start_shop() {
  exec dblock --prefix "$prefix" migrate up --scope shop --lock-timeout 0 --dir "$dir" >"$BATS_TEST_TMPDIR/shop"
}

# Tells whether somebody waits for a lock. (InnoDB looks anew only if nobody has asked for a tenth
# of a second.)
waits() {
  case $DBLOCK_TEST_BACKEND in
  postgresql) [ "$(sql "SELECT count(*) FROM pg_locks WHERE NOT granted")" != 0 ] ;;
  mysql)
    sleep 0.2
    [ "$(sql "SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'")" != 0 ]
    ;;
  esac
}

# Even the table of the history does not exist yet.
@test "two applications at the same time: neither waits for the other" {
  sql "CREATE TABLE ${t}_busy (id INTEGER PRIMARY KEY, name VARCHAR(80))"
  up 0001_shop "INSERT INTO ${t}_busy VALUES (1, 'shop');"
  occupy "${t}_busy"
  background start_shop
  local shop=$started
  wait_for waits
  dir=$BATS_TEST_TMPDIR/stock
  mkdir "$dir"
  up 0001_stock "CREATE TABLE ${t}_stock (id INTEGER);"
  run -0 --separate-stderr dblock --prefix "$prefix" migrate up --scope stock --wait 0 --dir "$dir"
  equal "$stderr" ""
  contains "$output" "applied 0001_stock"
  alive "$shop"
  waits
  vacate
  ended "$shop"
  equal "$code" 0
  contains "$(<"$BATS_TEST_TMPDIR/shop")" "applied 0001_shop"
}
