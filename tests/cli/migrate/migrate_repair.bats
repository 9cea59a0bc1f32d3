#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate baseline, repair. (remote_migrate.bats has statements in doubt.)

setup() {
  load migrate
  with_dir
  three
}

@test "baseline: what is there is taken for that of V, and up goes on behind it" {
  sql "CREATE TABLE ${t}_customer (id INTEGER PRIMARY KEY, name VARCHAR(80))"
  run -2 --separate-stderr migrate baseline 1 </dev/null
  contains "$stderr" "now:  0001_customer: pending"
  contains "$stderr" "then: 0001_customer: applied (baseline, not run)"
  contains "$stderr" "with --yes"
  equal "$(states)" "1 pending, 2 pending, 3 pending"
  run -0 --separate-stderr migrate baseline 0001 --yes
  equal "$output" "recorded 0001_customer"
  run -0 migrate up
  equal "${#lines[@]}" 2
  run -0 migrate verify
}

@test "baseline: only once, and only to what there is" {
  run -2 --separate-stderr migrate baseline 9 --yes
  contains "$stderr" "no migration 9"
  run -2 migrate baseline 0 --yes
  run -2 migrate baseline x --yes
  migrate up --to 1
  run -4 --separate-stderr migrate baseline 2 --yes
  contains "$stderr" "recorded already"
  equal "$(states)" "1 applied, 2 pending, 3 pending"
}

@test "baseline --json" {
  migrate_json baseline 2 --yes
  equal "$(field ok) $(field command) $(field migrations '#')" "true baseline 2"
  equal "$(field migrations 1 state)" applied
}

@test "repair --rechecksum: the file as it is now is right" {
  migrate up
  echo "SELECT 1;" >>"$dir/0002_orders.up.sql"
  run -4 migrate up
  run -2 --separate-stderr migrate repair 2 --rechecksum </dev/null
  contains "$stderr" "now:  0002_orders: changed"
  contains "$stderr" "--yes"
  run -4 migrate up
  run -0 --separate-stderr migrate repair 2 --rechecksum --yes
  equal "$output" "repaired 0002_orders: applied"
  run -0 migrate up
}

@test "repair --forget: pending again" {
  migrate up
  sql "DROP TABLE ${t}_orders"
  run -0 migrate repair 2 --forget --yes
  contains "$output" "then: 0002_orders: pending"
  contains "$output" "repaired 0002_orders: out of order"
  equal "$(states)" "1 applied, 2 out of order, 3 applied"
  run -0 migrate up --allow-out-of-order
  sql "SELECT * FROM ${t}_orders"
}

@test "2: verdicts that do not fit, migrations that are not there" {
  migrate up --to 1
  run -2 --separate-stderr migrate repair 1 --done --yes
  contains "$stderr" "does not fit"
  run -2 migrate repair 1 --not-done --yes
  run -2 migrate repair 1 --applied --yes
  run -2 --separate-stderr migrate repair 2 --forget --yes
  contains "$stderr" "never begun"
  run -2 --separate-stderr migrate repair 1 --yes
  contains "$stderr" "say one of --done"
  run -2 migrate repair 1 --forget --applied --yes
  equal "$(states)" "1 applied, 2 pending, 3 pending"
}

@test "repair --json" {
  migrate up
  migrate_json repair 3 --forget --yes
  equal "$(field ok) $(field command) $(field migrations 0 state)" "true repair pending"
}

@test "--applied of one that is pending: it is recorded, and not run; --forget takes it back" {
  three
  run -0 migrate up --to 1
  run -0 --separate-stderr migrate repair 2 --applied --yes
  equal "$output" "repaired 0002_orders: applied"
  contains "$stderr" "now:  0002_orders: pending"
  contains "$stderr" "then: 0002_orders: applied, as the file says now"
  run ! sql "SELECT count(*) FROM ${t}_orders"
  equal "$(states)" "1 applied, 2 applied, 3 pending"
  run -0 migrate repair 2 --forget --yes
  equal "$(states)" "1 applied, 2 pending, 3 pending"
  run -2 --separate-stderr migrate repair 9 --applied --yes
  contains "$stderr" "there is no migration 9 in this set"
  # Also where nothing is recorded yet.
  prefix=new_$prefix
  run -0 migrate repair 3 --applied --yes
  equal "$(states)" "1 out of order, 2 out of order, 3 applied"
}
