#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate status, verify: what they see, and their exit codes.

setup() {
  load migrate
  with_dir
  three
}

@test "status: a table, and --check: 3 if there is something to do" {
  run -0 migrate status
  [[ ${lines[0]} =~ ^VERSION\ +NAME\ +STATE\ +APPLIED\ +BY$ ]]
  [[ ${lines[1]} =~ ^0001\ +customer\ +pending\ +-\ +-$ ]]
  run -3 migrate status --check
  migrate up
  run -0 migrate status --check
  [[ ${lines[3]} =~ ^0003\ +names\ +applied\ +20.*\(pid\ [0-9]+\)$ ]]
  migrate_json status --check
  equal "$(field ok) $(field command) $(field migrations '#')" "true status 3"
  equal "$(field migrations 2 step_done) $(field role) $(field from) $(field to)" "2 null null 3"
}

@test "status and verify write nothing, not even a table" {
  run -0 migrate status
  run -0 migrate verify
  run -0 migrate plan
  run ! sql "SELECT * FROM ${prefix}migration"
}

@test "verify: 0 if all is well, with pending ones or without" {
  run -0 --separate-stderr migrate verify
  equal "$stderr" "dblock: migrate verify: nothing is wrong"
  migrate up
  run -0 migrate verify
  migrate_json verify
  equal "$(field ok) $(field problems '#')" "true 0"
}

@test "4: changed, missing and late files, all of them in one go" {
  rm "$dir"/0002_*
  up 0004_four "INSERT INTO ${t}_customer VALUES (4, 'four');"
  migrate up
  rm "$dir"/0003_*
  up 0002_orders "CREATE TABLE ${t}_orders (id INTEGER PRIMARY KEY, customer INTEGER);"
  up 0004_four "INSERT INTO ${t}_customer VALUES (4, 'vier');"
  run -4 --separate-stderr migrate verify
  equal "$output" ""
  contains "$stderr" "out of order: 0002_orders"
  contains "$stderr" "missing: 0003_names"
  contains "$stderr" "changed: 0004_four"
  contains "$stderr" "repair 4 --rechecksum"
  contains "$stderr" "3 things are not"
  run -4 --separate-stderr dblock --prefix "$prefix" --json migrate verify --dir "$dir"
  json=$output
  equal "$(field ok) $(field problems '#') $(field problems 1 code)" "false 3 missing"
  equal "$(field problems 1 version) $(field error code)" "3 DBLOCK_E_DRIFT"
  run -4 migrate status --check
}

@test "a newer database is a word, and wrong only with --strict" {
  migrate up
  rm "$dir"/0003_*
  run -0 --separate-stderr migrate verify
  contains "$stderr" "newer: 0003_names"
  run -0 --separate-stderr dblock --prefix "$prefix" -q migrate verify --dir "$dir"
  equal "$stderr" ""
  run -4 --separate-stderr migrate verify --strict
  contains "$stderr" "newer: 0003_names"
  run -0 migrate status --check
}

# same FILE...: up, status and verify accept the file; drifted: none of them does.
same() {
  run -0 migrate up
  run -0 migrate status --check
  run -0 migrate verify
}

drifted() {
  run -4 --separate-stderr migrate up
  [[ $stderr == *"changed after they were applied: 0004_text (was "[0-9a-f]*", is "[0-9a-f]*")"* ]]
  run -4 migrate status --check
  contains "$(states)" "4 changed"
  run -4 --separate-stderr migrate verify
  contains "$stderr" "changed: 0004_text"
}

# Case 21 of tests/migrate-cases.md.
@test "a formatter, other line ends, a head of comments change nothing; a token, a text, a hint do" {
  up 0004_text "INSERT INTO ${t}_customer VALUES (4, 'a  b');"
  migrate up
  sed -i 's/$/\r/' "$dir"/*.sql
  same
  up 0004_text "-- Licence: MIT

INSERT INTO ${t}_customer  -- into that
VALUES
  (4 , 'a  b')
;
"
  same
  printf '\xEF\xBB\xBF%s' "$(<"$dir/0004_text.up.sql")" >"$dir/bom"
  mv "$dir/bom" "$dir/0004_text.up.sql"
  same
  up 0004_text "INSERT INTO ${t}_customer VALUES (5, 'a  b');"
  drifted
  up 0004_text "INSERT INTO ${t}_customer VALUES (4, 'a b');"
  drifted
  up 0004_text "INSERT INTO ${t}_customer VALUES (4, 'a -- b');"
  drifted
  up 0004_text "INSERT INTO ${t}_customer VALUES (4, 'a  b');
INSERT INTO ${t}_customer VALUES (5, 'c');"
  drifted
  up 0004_text "INSERT /*+ hint */ INTO ${t}_customer VALUES (4, 'a  b');"
  drifted
  case $DBLOCK_TEST_BACKEND in
  mysql)
    up 0004_text "INSERT /*!50000 IGNORE */ INTO ${t}_customer VALUES (4, 'a  b');"
    drifted
    ;;
  postgresql)
    up 0004_text "INSERT INTO ${t}_customer VALUES (4, \$\$a  b\$\$);"
    drifted
    ;;
  esac
  run -0 migrate repair 4 --rechecksum --yes
  same
}

@test "a file without a byte, and names that other tools sort otherwise, are worth a word, and no more" {
  run -0 --separate-stderr migrate plan
  equal "$stderr" ""
  : >"$dir/0004_empty.up.sql"
  up 10_ten "SELECT 1;"
  up 00011_eleven "SELECT 1;"
  local command words
  for command in plan verify "verify --files-only" "up --to 4" up "to 11"; do
    # shellcheck disable=SC2086
    run -0 --separate-stderr migrate $command
    contains "$stderr" "warning: empty: 0004_empty: 0004_empty.up.sql has no byte in it"
    contains "$stderr" "warning: name order: 0011_eleven: 00011_eleven.up.sql comes after 10_ten.up.sql here"
    equal "$(grep -c '^warning: ' <<<"$stderr")" 2
  done
  lacks "$(states)" pending
  migrate_json verify
  equal "$(field ok) $(field problems '#')" "true 2"
  equal "$(field problems 0 code) $(field problems 0 harmless) $(field problems 0 version)" "empty true 4"
  equal "$(field problems 1 code) $(field problems 1 harmless)" "name order true"
  migrate_json up
  equal "$(field ok) $(field problems '#') $(field problems 1 code)" "true 2 name order"
  run -0 --separate-stderr dblock --prefix "$prefix" -q migrate up --dir "$dir"
  equal "$stderr" ""
  # An error does not name them twice.
  up 0012_bad "INSERT INTO ${t}_nowhere VALUES (1);"
  run -1 --separate-stderr dblock --prefix "$prefix" --json migrate up --dir "$dir"
  json=$output
  equal "$(field problems '#') $(field error step)" "2 1"
}

@test "2: --files-only looks at all kinds of databases, and at none" {
  local url=$DBLOCK_URL
  export DBLOCK_URL=$url.nowhere/x
  run -0 migrate verify --files-only
  mkdir "$dir/sqlite" "$dir/mysql"
  rm "$dir"/*.sql
  echo "SELECT 'open" >"$dir/mysql/0001_a.up.sql"
  echo "SELECT 1" >"$dir/sqlite/0001_a.up.sql"
  run -2 --separate-stderr migrate verify --files-only
  contains "$stderr" "files: "
  contains "$stderr" "mysql/0001_a.up.sql:1:"
  run -2 dblock migrate verify --files-only
  echo "SELECT 1" >"$dir/mysql/0001_a.up.sql"
  run -0 migrate verify --files-only
}
