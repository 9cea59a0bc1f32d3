#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate up, in a database whose tables somebody else has made. (Each test has the same database,
# and leaves it as it was.)

setup() {
  load migrate
  with_dir
  three app
}

teardown() {
  sql "DROP TABLE IF EXISTS app_customer"
  sql "DROP TABLE IF EXISTS app_orders"
  sql "DROP TABLE IF EXISTS other_customer"
  sql "DROP TABLE IF EXISTS schema_migrations"
  sql "DROP TABLE IF EXISTS ${prefix}migration"
}

# Nothing may have been done: no history, no table.
nothing_done() {
  contains "$stderr" "nothing was done"
  run ! sql "SELECT * FROM app_customer"
  run ! sql "SELECT * FROM ${prefix}migration"
}

@test "tables and no history: they may be what the files make, so nothing is run" {
  sql "CREATE TABLE other_customer (id INTEGER PRIMARY KEY)"
  for command in up plan "to 2" "up -n 1"; do
    # shellcheck disable=SC2086 # words
    run -4 --separate-stderr migrate $command
    contains "$stderr" "there are tables already (other_customer)"
    contains "$stderr" "'dblock migrate baseline V --dir $dir --prefix $prefix'"
    contains "$stderr" "--allow-tables"
    nothing_done
  done
  sql "CREATE TABLE app_orders (id INTEGER PRIMARY KEY)"
  run -4 --separate-stderr migrate up
  contains "$stderr" "(app_orders and 1 more)"
  sql "DROP TABLE app_orders"
  run -0 migrate status
  run -0 migrate verify
}

@test "--allow-tables: the files are about others" {
  sql "CREATE TABLE other_customer (id INTEGER PRIMARY KEY)"
  run -0 migrate plan --allow-tables
  run -0 migrate up -n 1 --allow-tables
  run -0 migrate to 2
  run -0 migrate up
  equal "$(states)" "1 applied, 2 applied, 3 applied"
}

@test "baseline: the tables are those of a file" {
  sql "CREATE TABLE app_customer (id INTEGER PRIMARY KEY, name VARCHAR(80))"
  run -0 migrate baseline 1 --yes
  run -0 migrate up
  equal "$(states)" "1 applied, 2 applied, 3 applied"
}

@test "dblock's own tables are nobody else's, nor are those of another scope or prefix" {
  run -0 dblock --prefix dblock_ schema up
  run -0 migrate up --scope one
  mkdir "$dir/two"
  echo "CREATE TABLE other_customer (id INTEGER PRIMARY KEY);" >"$dir/two/1_other.sql"
  run -0 dblock --prefix "$prefix" migrate up --dir "$dir/two" --scope two
  echo "CREATE TABLE other_orders (id INTEGER PRIMARY KEY);" >"$dir/two/1_other.sql"
  run -0 dblock --prefix elsewhere_ migrate up --dir "$dir/two"
  run -0 dblock --prefix elsewhere_ migrate up --dir "$dir/two"
  sql "DROP TABLE elsewhere_migration"
  sql "DROP TABLE other_orders"
}

@test "another tool's history that is empty: it has applied nothing" {
  sql "CREATE TABLE schema_migrations (version BIGINT NOT NULL PRIMARY KEY, dirty BOOLEAN NOT NULL)"
  run -0 migrate up
}

@test "another tool's history, also beside tables that are ours" {
  migrate up --scope one
  sql "CREATE TABLE schema_migrations (version BIGINT NOT NULL PRIMARY KEY, dirty BOOLEAN NOT NULL)"
  sql "INSERT INTO schema_migrations VALUES (2, FALSE)"
  run -4 --separate-stderr migrate up
  contains "$stderr" "golang-migrate has migrated this database: its table schema_migrations is at 2"
  contains "$stderr" "'dblock migrate adopt --dir $dir --prefix $prefix'"
  run -4 --separate-stderr migrate plan
  contains "$stderr" "golang-migrate"
  sql "DROP TABLE app_customer"
  sql "DROP TABLE app_orders"
  run -0 migrate up --allow-tables
}
