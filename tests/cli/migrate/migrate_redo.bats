#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate redo and goto.

setup() {
  load migrate
  with_dir
}

@test "redo: the one applied last, as its file is by now" {
  three
  migrate up
  down 0003_names "DELETE FROM ${t}_customer;"
  up 0003_names "INSERT INTO ${t}_customer VALUES (7, 'new');"
  run -0 --separate-stderr migrate redo
  contains "$output" "undone 0003_names"
  contains "$output" "applied 0003_names"
  equal "$(wc -l <<<"$output")" 2
  equal "$(sql "SELECT name FROM ${t}_customer")" new
  equal "$(states)" "1 applied, 2 applied, 3 applied"
}

@test "redo -n: so many, and no more of what is pending" {
  three
  migrate up --to 2
  run -0 --separate-stderr migrate redo -n 2
  equal "$(cut -d' ' -f1,2 <<<"$output" | paste -sd,)" \
    "undone 0002_orders,undone 0001_customer,applied 0001_customer,applied 0002_orders"
  equal "$(states)" "1 applied, 2 applied, 3 pending"
  migrate_json redo
  equal "$(field ok)-$(field command)-$(field from)-$(field to)-$(field migrations '#')" true-redo-2-2-2
  equal "$(field migrations 0 state)-$(field migrations 1 state)" pending-applied
}

@test "redo of nothing" {
  three
  run -0 --separate-stderr migrate redo
  contains "$stderr" "nothing to do"
  equal "$(states)" "1 pending, 2 pending, 3 pending"
}

@test "redo refuses before anything is done: no way down, a gap, another file that has changed" {
  three
  migrate up
  mv "$dir/0002_orders.down.sql" "$dir/kept"
  run -4 --separate-stderr migrate redo -n 2
  contains "$stderr" "no .down.sql"
  equal "$(states)" "1 applied, 2 applied, 3 applied"
  mv "$dir/kept" "$dir/0002_orders.down.sql"

  echo "SELECT 1;" >>"$dir/0001_customer.up.sql"
  run -4 --separate-stderr migrate redo -n 2
  contains "$stderr" "0001 stays applied, and its file is not what was applied"
  equal "$(states)" "1 changed, 2 applied, 3 applied"
  migrate repair 1 --rechecksum --yes

  migrate down -n 2
  migrate up --to 2
  mv "$dir"/0003_names.up.sql "$dir"/0005_names.up.sql
  mv "$dir"/0003_names.down.sql "$dir"/0005_names.down.sql
  migrate up
  up 0004_late "SELECT 1;"
  run -4 --separate-stderr migrate redo
  contains "$stderr" "0004 is pending, below one that is applied"
  equal "$(states)" "1 applied, 2 applied, 4 out of order, 5 applied"
}

@test "redo of one that was applied out of order leaves the newer one" {
  three
  mv "$dir/0002_orders.up.sql" "$dir/kept.up"
  mv "$dir/0002_orders.down.sql" "$dir/kept.down"
  migrate up
  mv "$dir/kept.up" "$dir/0002_orders.up.sql"
  mv "$dir/kept.down" "$dir/0002_orders.down.sql"
  migrate up --allow-out-of-order
  run -0 --separate-stderr migrate redo
  equal "$(cut -d' ' -f1,2 <<<"$output" | paste -sd,)" "undone 0002_orders,applied 0002_orders"
  equal "$(states)" "1 applied, 2 applied, 3 applied"
}

@test "redo: a file that fails says how to go on" {
  three
  migrate up
  up 0003_names "INSERT INTO ${t}_nowhere VALUES (1);"
  run -1 --separate-stderr migrate redo
  contains "$stderr" "next:  correct the file, then run 'dblock migrate up"
}

@test "redo applies what is repeatable anew, as it may have gone with a table" {
  three
  echo "CREATE VIEW ${t}_seen AS SELECT id FROM ${t}_orders;" >"$dir/R_seen.sql"
  down 0002_orders "DROP VIEW ${t}_seen; DROP TABLE ${t}_orders;"
  migrate up
  run -0 --separate-stderr migrate redo -n 2
  contains "$output" "applied R_seen"
  equal "$(sql "SELECT count(*) FROM ${t}_seen")" 0
}

@test "goto is to" {
  three
  migrate up
  run -2 --separate-stderr migrate goto 1
  contains "$stderr" "--allow-down"
  run -0 --separate-stderr migrate goto 1 --allow-down
  equal "$(states)" "1 applied, 2 pending, 3 pending"
  run -0 --separate-stderr migrate goto 2
  contains "$output" "applied 0002_orders"
}
