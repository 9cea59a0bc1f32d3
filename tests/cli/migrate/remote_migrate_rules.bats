#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The rules of `dblock migrate plan`, held against the server: it says itself what it has to read,
# write or copy for a statement. Which words are against which rule: tests/unit/migrate/lint.

setup() {
  load migrate
  with_dir
}

# Reads lines "RULE STATEMENT": - is no rule; in the statement, T is a table of its own, of the
# definition $1. The tables, and one that is called u, are made, and the statements are planned.
plan_cases() {
  local rule statement i=0 tables="CREATE TABLE ${t}_u (id INT PRIMARY KEY);"
  rules=() statements=()
  while read -r rule statement; do
    tables+="CREATE TABLE ${t}_$i $1;"$'\n'
    rules+=("$rule")
    statements+=("${statement/ T / ${t}_$((i++)) }")
  done
  up 0001_tables "$tables"
  migrate up >/dev/null
  printf '%s;\n' "${statements[@]}" >"$dir/0002_changes.up.sql"
  migrate_json plan
}

# Checks each statement: the plan has the rule, and `blocks STATEMENT`, which asks the server, says
# so if there is one.
check_cases() {
  local wrong=0 i rule planned
  for ((i = 0; i < ${#statements[@]}; i++)); do
    rule=${rules[i]/#-/null}
    planned=$(field migrations 0 statements "$i" rule)
    [ "$planned" = "${rule%!}" ] || {
      echo "$planned instead of ${rule%!}: ${statements[i]}" && wrong=1
    }
    # With ! only the other one of two servers needs it.
    [[ $rule != *! ]] || continue
    blocks "${statements[i]}" && planned=yes || planned=no
    case $planned:$rule in
    no:null | yes:[!n]*) ;;
    *) echo "does the server block? $planned, and the rule is $rule: ${statements[i]}" && wrong=1 ;;
    esac
  done
  return $wrong
}

# PostgreSQL tells, at this level, of each table that it reads as a whole or writes anew, and of each
# index that it builds (that of a new TOAST table is empty).
blocks_postgresql() {
  local said
  said=$(sql "SET client_min_messages = debug1; $1" 2>&1) || echo "$said: $1"
  grep -E 'DEBUG: +(rewriting|verifying|validating|building index)' <<<"$said" | grep -qv pg_toast
}

# MySQL and MariaDB refuse what they cannot do in place and beside others.
blocks_mysql() {
  local said
  said=$(sql "$1, ALGORITHM=INPLACE, LOCK=NONE" 2>&1) && return 1
  grep -qE 'ERROR (1845|1846)' <<<"$said" || echo "$said"
}

blocks() {
  "blocks_$DBLOCK_TEST_BACKEND" "$1"
}

@test "postgresql: an alarm, where the server reads or writes a whole table, and only there" {
  [ "$DBLOCK_TEST_BACKEND" = postgresql ] || return 0
  plan_cases "(id int, a int, v varchar(20), w varchar(20) CHECK (w <> ''), n numeric(8,2),
    d timestamp, s text, CONSTRAINT c CHECK (d IS NOT NULL))" <<EOF
- ALTER TABLE T ADD COLUMN x int
- ALTER TABLE T ADD COLUMN x int NOT NULL DEFAULT 0
- ALTER TABLE T ADD COLUMN x timestamptz NOT NULL DEFAULT now()
- ALTER TABLE T ADD COLUMN x timestamptz DEFAULT (current_timestamp + interval '1 day')
- ALTER TABLE T ADD COLUMN x text DEFAULT md5('a'::varchar(9))
- ALTER TABLE T ADD COLUMN x int REFERENCES ${t}_u
add-column-rewrites ALTER TABLE T ADD COLUMN x timestamptz DEFAULT clock_timestamp()
add-column-rewrites ALTER TABLE T ADD COLUMN x float DEFAULT random()
add-column-rewrites ALTER TABLE T ADD COLUMN x serial
add-column-rewrites ALTER TABLE T ADD COLUMN x int GENERATED ALWAYS AS IDENTITY
add-column-rewrites ALTER TABLE T ADD COLUMN x int GENERATED ALWAYS AS (id + 1) STORED
constraint-builds-index ALTER TABLE T ADD COLUMN x int UNIQUE
constraint-reads-all ALTER TABLE T ADD COLUMN x int CHECK (x > 0)
constraint-reads-all ALTER TABLE T ADD COLUMN x int DEFAULT NULL REFERENCES ${t}_u
- ALTER TABLE T ALTER v TYPE varchar(30)
- ALTER TABLE T ALTER v TYPE text
- ALTER TABLE T ALTER v TYPE character varying USING v::character varying
- ALTER TABLE T ALTER n TYPE numeric(10,2)
- ALTER TABLE T ALTER n TYPE numeric
- ALTER TABLE T ALTER a TYPE integer
type-rewrites ALTER TABLE T ALTER w TYPE text
type-rewrites ALTER TABLE T ALTER v TYPE varchar(10)
type-rewrites ALTER TABLE T ALTER v TYPE text USING lower(v)
type-rewrites ALTER TABLE T ALTER n TYPE numeric(10,3)
type-rewrites ALTER TABLE T ALTER a TYPE bigint
type-rewrites ALTER TABLE T ALTER a TYPE text
set-not-null-reads-all ALTER TABLE T ALTER a SET NOT NULL
- ALTER TABLE T ALTER d SET NOT NULL
- ALTER TABLE T ALTER d DROP NOT NULL
- ALTER TABLE T ADD CONSTRAINT d CHECK (a > 0) NOT VALID
constraint-reads-all ALTER TABLE T ADD CONSTRAINT d CHECK (a > 0)
- ALTER TABLE T ADD CONSTRAINT d FOREIGN KEY (a) REFERENCES ${t}_u NOT VALID
constraint-reads-all ALTER TABLE T ADD CONSTRAINT d FOREIGN KEY (a) REFERENCES ${t}_u
constraint-builds-index ALTER TABLE T ADD CONSTRAINT c_${t} UNIQUE (a)
constraint-builds-index ALTER TABLE T ADD PRIMARY KEY (id)
index-blocks-writes CREATE INDEX ON T (a)
- ALTER TABLE T SET (fillfactor = 50)
rewrites-table ALTER TABLE T SET UNLOGGED
EOF
  check_cases
}

@test "mysql: an alarm, where the server copies or locks a table, and only there" {
  [ "$DBLOCK_TEST_BACKEND" = mysql ] || return 0
  local mysql=copies-table!
  [[ $(sql "SELECT version()") == *MariaDB* ]] || mysql=copies-table
  plan_cases "(id INT NOT NULL PRIMARY KEY, a INT NOT NULL, d INT, v VARCHAR(20), w VARCHAR(80),
    e ENUM('a','b'), n DECIMAL(10,2), g POINT NOT NULL, INDEX k (d))
    ENGINE=InnoDB DEFAULT CHARSET=utf8mb4" <<EOF
- ALTER TABLE T ADD COLUMN x INT NOT NULL
- ALTER TABLE T ADD COLUMN x INT NOT NULL DEFAULT 3 AFTER id
- ALTER TABLE T ADD COLUMN x DATETIME DEFAULT CURRENT_TIMESTAMP
- ALTER TABLE T ADD COLUMN x INT AS (a + 1) VIRTUAL
- ALTER TABLE T ADD COLUMN x INT UNIQUE
copies-table ALTER TABLE T ADD COLUMN x INT AS (a + 1) STORED
$mysql ALTER TABLE T ADD COLUMN x INT DEFAULT (1 + 1)
$mysql ALTER TABLE T ADD COLUMN x INT CHECK (x > 0)
locks-writes ALTER TABLE T ADD COLUMN x INT NOT NULL AUTO_INCREMENT UNIQUE
copies-table ALTER TABLE T MODIFY a BIGINT
copies-table ALTER TABLE T MODIFY a INT UNSIGNED NOT NULL
- ALTER TABLE T MODIFY a INT NOT NULL DEFAULT 7
- ALTER TABLE T MODIFY a INT NULL
- ALTER TABLE T MODIFY v VARCHAR(63)
$mysql ALTER TABLE T MODIFY v VARCHAR(64)
- ALTER TABLE T MODIFY w VARCHAR(300)
copies-table ALTER TABLE T MODIFY v VARCHAR(10)
copies-table ALTER TABLE T MODIFY v TEXT
- ALTER TABLE T MODIFY v VARCHAR(20) AFTER a
copies-table ALTER TABLE T MODIFY v VARCHAR(20) CHARACTER SET latin1
- ALTER TABLE T MODIFY e ENUM('a','b','c')
copies-table ALTER TABLE T MODIFY e ENUM('b','a')
copies-table ALTER TABLE T MODIFY n DECIMAL(12,2)
copies-table ALTER TABLE T CHANGE a a BIGINT
- ALTER TABLE T ALTER COLUMN a SET DEFAULT 3
- ALTER TABLE T ADD INDEX (a)
- ALTER TABLE T ADD UNIQUE (a)
locks-writes ALTER TABLE T ADD FULLTEXT (v)
locks-writes ALTER TABLE T ADD SPATIAL INDEX (g)
- ALTER TABLE T DROP INDEX k
copies-table ALTER TABLE T DROP PRIMARY KEY
copies-table ALTER TABLE T ADD CONSTRAINT ${t}_c FOREIGN KEY (a) REFERENCES ${t}_u (id)
copies-table ALTER TABLE T ADD CONSTRAINT ${t}_d CHECK (a > 0)
copies-table ALTER TABLE T CONVERT TO CHARACTER SET utf8mb3
- ALTER TABLE T DEFAULT CHARACTER SET latin1
- ALTER TABLE T COMMENT='x'
copies-table ALTER TABLE T ENGINE=MyISAM
EOF
  check_cases
}
