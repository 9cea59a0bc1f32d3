#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate: variables of a file, ${name}.

setup() {
  load migrate
  with_dir
  up 0001_vars "-- made for each customer
-- dblock:variables table, owner
CREATE TABLE \${table} (a VARCHAR(40));
INSERT INTO \${table} VALUES ('\${owner} \$x \${ }');"
  down 0001_vars "-- dblock:variables table
DROP TABLE \${table};"
  unset table owner
}

refused()
{
  run -2 --separate-stderr migrate up "${@:2}"
  contains "$stderr" "$1"
  equal "$(states)" "1 pending${more:-}"
}

@test "a value is that of -V, the last one, else that of the environment" {
  owner=me run -0 migrate up -V table="${t}_no" --var table="${t}_v"
  equal "$(sql "SELECT a FROM ${t}_v")" 'me $x ${ }'
  # The checksum is of the file: other values are no change.
  table=other owner=you run -0 migrate verify
  run -0 --separate-stderr migrate up -V table=x -V owner=
  contains "$stderr" "nothing to do"
  table=${t}_v owner=x run -0 migrate down
  run ! sql "SELECT a FROM ${t}_v"
}

@test "2: a variable without a value, by file, line and column; nothing is run" {
  refused "0001_vars.up.sql:4:31: '\${owner}' has no value; give one with -V NAME=VALUE" -V table=a
  owner=$'a\nb' refused "'\${owner}' has a value with a line's end" -V table=a
  run -2 --separate-stderr migrate up -V table
  contains "$stderr" "-V table: write NAME=VALUE"
}

@test "status and baseline need no values" {
  run -0 migrate status
  run -0 migrate baseline 1 --yes
  equal "$(states)" "1 applied"
}

@test "a file without that line is as it is" {
  up 0001_vars "CREATE TABLE ${t}_plain (a VARCHAR(40));
INSERT INTO ${t}_plain VALUES ('\${table}');"
  down 0001_vars "DROP TABLE ${t}_plain;"
  run -0 migrate up -V table=x
  equal "$(sql "SELECT a FROM ${t}_plain")" '${table}'
}

@test "2: what that line does not name, a line that names none, and one in the middle" {
  more=", 2 pending"
  up 0002_more "-- dblock:variables table
SELECT \${tabel};"
  refused "0002_more.up.sql:2:8: '\${tabel}' is not among the variables" -V table=a -V owner=b
  up 0002_more "-- dblock:variables 1a
SELECT 1;"
  refused "0002_more.up.sql:1:1: it is to name the variables" -V table=a -V owner=b
  up 0002_more "SELECT 1;
-- dblock:variables table"
  run -2 --separate-stderr migrate up -V table=a -V owner=b
  contains "$stderr" "0002_more.up.sql:2:1: '-- dblock:variables table': it stands in the head of a file"
}

@test "a text is checked with its values: a quote in one is code" {
  owner="it's" run -2 --separate-stderr migrate up -V table=a
  contains "$stderr" "0001_vars.up.sql:4:"
  run -0 migrate verify --files-only -V owner=x
}
