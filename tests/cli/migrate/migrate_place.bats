#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate: where in a file it went wrong, and what the database says of it.

setup() {
  load migrate
  with_dir
  up 0001_bad "CREATE TABLE ${t}_p (a INTEGER);
-- ä
INSERT INTO ${t}_p
	VALUES ('ä', 1 1);
"
}

# The sign at which the syntax is broken: SQLite and PostgreSQL name it, MySQL shows the rest from there on.
@test "the place of an error of syntax is that of the sign, on each database" {
  run -1 --separate-stderr migrate up
  contains "$stderr" "0001_bad.up.sql:4:17: statement 2 of 2: "
  contains "$stderr" "  INSERT INTO ${t}_p  VALUES ('ä', 1 1)"
  [[ $stderr != *" | "* ]]
}

@test "a terminal has the lines around it, and a caret" {
  run -1 script -qec "dblock --prefix $prefix migrate up --dir $dir" /dev/null
  contains "$output" "     2 | -- ä"
  contains "$output" "     4 |     VALUES ('ä', 1 1);"$'\r\n'"       |                    ^"
  [[ $output != *"INSERT INTO ${t}_p  VALUES"* ]]
}

@test "PostgreSQL: DETAIL, HINT and CONTEXT of an error" {
  [ "$DBLOCK_TEST_BACKEND" = postgresql ] || skip "of PostgreSQL alone"
  up 0001_bad "CREATE TABLE ${t}_p (abc INTEGER UNIQUE);
INSERT INTO ${t}_p VALUES (1);
DO \$\$ BEGIN
  INSERT INTO ${t}_p VALUES (1);
END \$\$;"
  run -1 --separate-stderr migrate up
  contains "$stderr" $'\n'"said:  DETAIL: Key (abc)=(1) already exists."$'\n'
  contains "$stderr" "CONTEXT: SQL statement \"INSERT INTO ${t}_p VALUES (1)\" PL/pgSQL function inline_code_block line 2"
  up 0001_bad "CREATE TABLE ${t}_p (abc INTEGER UNIQUE);
SELECT abd FROM ${t}_p;"
  run -1 --separate-stderr dblock --json --prefix "$prefix" migrate up --dir "$dir"
  contains "$output" "\"said\":[\"HINT: Perhaps you meant to reference the column \\\"${t}_p.abc\\\".\"]"
}
