#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate down, and to.

setup() {
  load migrate
  with_dir
  three
}

@test "down: the one applied last, then so many, then all" {
  migrate up
  run -0 --separate-stderr migrate down
  [[ $output =~ ^undone\ 0003_names\ \(1\ statement,\ [0-9]+\ ms\)$ ]]
  equal "$(sql "SELECT count(*) FROM ${t}_customer")" 0
  equal "$(states)" "1 applied, 2 applied, 3 pending"
  migrate up
  run -0 migrate down -n 2
  equal "${#lines[@]}" 2
  equal "$(states)" "1 applied, 2 pending, 3 pending"
  migrate up
  run -2 --separate-stderr migrate down --all </dev/null
  contains "$stderr" "with --yes"
  equal "$(states)" "1 applied, 2 applied, 3 applied"
  run -0 migrate down --all --yes
  contains "${lines[2]}" "undone 0001_customer"
  run -0 --separate-stderr migrate down
  contains "$stderr" "nothing to do"
  run -2 migrate down --all --yes -n 1
  run -2 migrate down --to 1 -n 1
}

@test "down --to: all after it; not to one that is not applied" {
  migrate up
  run -0 migrate down --to 1
  equal "$(states)" "1 applied, 2 pending, 3 pending"
  run -2 --separate-stderr migrate down --to 3
  contains "$stderr" "3 is not applied"
}

@test "down: one without a .down.sql stops it before anything is undone" {
  rm "$dir/0002_orders.down.sql"
  migrate up
  run -4 --separate-stderr migrate down -n 2
  contains "$stderr" 0002_orders
  contains "$stderr" "--forget"
  equal "$(states)" "1 applied, 2 applied, 3 applied"
}

@test "down: one that is as \`migrate new\` made it undoes nothing, and is refused" {
  migrate new addresses --seq >/dev/null
  up 0004_addresses "CREATE TABLE ${t}_addresses (id INTEGER);"
  run -0 --separate-stderr migrate up
  equal "$stderr" ""
  run -4 --separate-stderr migrate down -n 2
  contains "$stderr" "0004_addresses cannot be undone: its .down.sql is as 'migrate new' made it"
  contains "$stderr" "next:  write into that what undoes it"
  equal "$(states)" "1 applied, 2 applied, 3 applied, 4 applied"
  down 0004_addresses "DROP TABLE ${t}_addresses;"
  run -0 migrate down -n 2
}

@test "down: late ones go in the reverse of the order in which they came" {
  rm "$dir"/0002_orders.*
  migrate up
  three
  migrate up --allow-out-of-order
  run -0 migrate down
  contains "$output" "undone 0002_orders"
  run -0 migrate down
  contains "$output" "undone 0003_names"
}

@test "to: up, down with leave only, and to nothing" {
  run -0 migrate to 2
  equal "${#lines[@]}" 2
  run -0 --separate-stderr migrate to 2
  contains "$stderr" "nothing to do"
  run -0 migrate to 0003
  run -2 --separate-stderr migrate to 1
  contains "$stderr" "0003_names is applied"
  contains "$stderr" "--allow-down"
  equal "$(states)" "1 applied, 2 applied, 3 applied"
  migrate_json to 1 --allow-down
  equal "$(field ok) $(field from) $(field to) $(field migrations '#')" "true 3 1 2"
  run -2 --separate-stderr migrate to 9
  contains "$stderr" "no migration 9"
  run -2 migrate to -1
  run -2 migrate to x
  run -2 migrate to ''
  run -2 migrate to 0 --allow-down </dev/null
  run -0 migrate to 0 --allow-down --yes
  equal "$(states)" "1 pending, 2 pending, 3 pending"
}

@test "1: a file to undo that fails; what it says, and afterwards" {
  migrate up
  down 0003_names "DELETE FROM ${t}_customer;
DELETE FROM ${t}_nowhere;"
  run -1 --separate-stderr migrate down
  contains "$stderr" "0003_names.down.sql:2:"
  contains "$stderr" "'dblock migrate down --dir $dir --prefix $prefix'"
  equal "$(sql "SELECT count(*) FROM ${t}_customer")" 2
  equal "$(states)" "1 applied, 2 applied, 3 applied"
}
