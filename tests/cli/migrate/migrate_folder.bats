#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate without --dir: ./migrations, where `new` writes, and never the library's own tables.

setup() {
  load migrate
  with_dir
  cd "$BATS_TEST_TMPDIR"
}

@test "new, up, status, down in one folder, none with --dir: all are about ./migrations" {
  rm -r "$dir"
  run -0 dblock migrate new customer --seq
  equal "${lines[0]}" migrations/0001_customer.up.sql
  up 0001_customer "CREATE TABLE ${t}_customer (id INTEGER PRIMARY KEY);"
  down 0001_customer "DROP TABLE ${t}_customer;"
  run -0 --separate-stderr dblock --prefix "$prefix" migrate up
  equal "$stderr" "dblock: migrate up: the files are those of ./migrations"
  contains "$output" "applied 0001_customer"
  run -0 --separate-stderr dblock -q --prefix "$prefix" migrate status
  equal "$stderr" ""
  equal "${#lines[@]}" 2
  run -0 dblock --prefix "$prefix" migrate verify --files-only
  run -0 dblock --prefix "$prefix" migrate down
  contains "$output" "undone 0001_customer"
  equal "$(states)" "1 pending"
}

@test "what to do next names the files only if the line did" {
  up 0001_customer "INSERT INTO ${t}_nowhere VALUES (1);"
  run -1 --separate-stderr dblock --prefix "$prefix" migrate up
  contains "$stderr" "then run 'dblock migrate up --prefix $prefix'"
}

# Prints each command of the group that needs a database, with all that it needs but --dir.
commands_without_dir() {
  printf '%s\n' "up" "down --yes" "down --all --yes" "to 1" "to 0 --allow-down --yes" status "status --check" \
    verify "verify --files-only" plan "plan --sql" "baseline 1 --yes" "repair 1 --forget --yes"
}

@test "without --dir and without ./migrations: 2, both ways out, and dblock's own tables are as they were" {
  local command
  rmdir "$dir"
  dblock -q --prefix "$prefix" schema up
  while read -r command; do
    # shellcheck disable=SC2086
    run -2 --separate-stderr dblock --prefix "$prefix" migrate $command </dev/null
    equal "$output" ""
    contains "$stderr" "there is no folder ./migrations: give --dir DIR"
    contains "$stderr" "dblock's own tables are for 'dblock schema"
  done < <(commands_without_dir)
  run -2 --separate-stderr dblock --prefix "$prefix" migrate down --yes
  contains "$stderr" "'dblock schema down'"
  run -0 dblock --prefix "$prefix" schema status --check
}

@test "a file of that name is no folder" {
  rmdir "$dir"
  touch migrations
  run -2 --separate-stderr dblock --prefix "$prefix" migrate up
  contains "$stderr" "there is no folder ./migrations"
}

@test "the scope 'dblock' is the library's own, and has a command of its own" {
  run -2 --separate-stderr dblock --prefix "$prefix" migrate up --scope dblock
  contains "$stderr" "'dblock schema up'"
  run -2 --separate-stderr dblock --prefix "$prefix" migrate status --scope dblock --dir "$dir"
  contains "$stderr" "'dblock schema status'"
}

@test "all that is wrong with a folder is told at once; status, baseline and adopt go on" {
  up 0001_a "CREATE TABLE ${t}_a (k INTEGER);"
  up 0002_b "SELECT 'without an end;"
  up 0003_c "CREATE TABLE ${t}_c (k INTEGER); COMMIT;"
  down 0003_c "ROLLBACK;"
  for command in up plan verify "verify --files-only"; do
    # shellcheck disable=SC2086 # words
    run -2 --separate-stderr migrate $command
    contains "$stderr" "0002_b.up.sql:1:8: "
    contains "$stderr" "; so are 2 more"
    contains "$stderr" "error: files: 0003_c: $dir/0003_c.up.sql:1:"
    contains "$stderr" "error: files: 0003_c: $dir/0003_c.down.sql:1:1: "
  done
  run -0 --separate-stderr migrate status
  contains "$output" "0003"
  contains "$stderr" "0002_b.up.sql:1:8: "
  contains "$stderr" "error: files: 0003_c: $dir/0003_c.up.sql:1:"
  run -0 migrate baseline 1 --yes
  equal "$(states 2>/dev/null)" "1 applied, 2 pending, 3 pending"
}
