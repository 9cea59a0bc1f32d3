#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate new, embed: files, and no database. (tests/unit/cli/migrate tests what is in them.)

setup() {
  load migrate
  cd "$BATS_TEST_TMPDIR"
  # Opening this URL would make the file: none of these tests may open it.
  export DBLOCK_URL=sqlite:$BATS_TEST_TMPDIR/never.db
}

teardown() {
  [ ! -e "$BATS_TEST_TMPDIR/never.db" ]
}

@test "new: two files, their names on stdout; by time, or by number" {
  run -0 --separate-stderr dblock migrate new add_owner
  equal "$stderr" ""
  [[ ${lines[0]} =~ ^migrations/20[0-9]{12}_add_owner\.up\.sql$ ]]
  [[ ${lines[1]} =~ ^migrations/20[0-9]{12}_add_owner\.down\.sql$ ]]
  [ -f "${lines[0]}" ]
  [ -f "${lines[1]}" ]
  run -0 dblock migrate new one --seq --dir other
  equal "${lines[0]}" other/0001_one.up.sql
  json=$(dblock --json migrate new two --seq --dir other)
  equal "$(field ok) $(field command) $(field files 1)" "true new other/0002_two.down.sql"
  mkdir -p both/sqlite both/mysql
  run -0 dblock migrate new three --seq --dir both
  equal "${#lines[@]}" 4
}

@test "2: new: what is no name, and a folder that is none" {
  local name
  for name in '' 'a b' a/b .a x.up x.sql; do
    run -2 --separate-stderr dblock migrate new -- "$name"
    contains "$stderr" "no name for a migration"
  done
  [ ! -e migrations ]
  touch file
  run -2 --separate-stderr dblock --json migrate new a --dir file
  json=$output
  equal "$(field ok) $(field error code)" "false DBLOCK_E_INVALID"
}

@test "embed: a C file that compiles, replaced as a whole" {
  mkdir -p m/sqlite
  printf 'CREATE TABLE a (x);\n' >m/sqlite/0001_a.up.sql
  run -0 --separate-stderr dblock migrate embed m -o m.c
  equal "$output$stderr" ""
  grep -q 'migrations_sqlite\[\]' m.c
  run -0 dblock migrate embed --dir m -o m.c --symbol shop
  grep -q 'shop_sqlite\[\]' m.c
  run -0 dblock migrate embed m/sqlite -o m.c --symbol shop --dialect sqlite
  grep -q 'shop\[\]' m.c
  echo "SELECT 'open" >m/sqlite/0002_b.up.sql
  cp m.c before
  run -2 --separate-stderr dblock migrate embed m -o m.c
  contains "$stderr" "0002_b.up.sql:1:8"
  cmp m.c before
  run -2 dblock migrate embed nowhere -o m.c
  run -2 dblock migrate embed m/sqlite -o m.c
  cmp m.c before
}
