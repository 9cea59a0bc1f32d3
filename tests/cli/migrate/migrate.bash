# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Tests of `dblock migrate` share these: a folder of an application's files, $dir, in SQL that all
# three databases understand unless a test says otherwise. The tests of a file share its database:
# each has its own history, by prefix, and names its tables ${t}_...
load ../kit

with_dir()
{
  t=t$BATS_TEST_NUMBER
  prefix=p${BATS_TEST_NUMBER}_
  dir=$BATS_TEST_TMPDIR/migrations
  mkdir -p "$dir"
}

# up NUMBER_NAME TEXT; down NUMBER_NAME TEXT: writes that file.
up()
{
  printf '%s\n' "$2" >"$dir/$1.up.sql"
}

down()
{
  printf '%s\n' "$2" >"$dir/$1.down.sql"
}

# Writes three migrations that can be undone; the third has two statements.
three()
{
  local t=${1-$t}
  up 0001_customer "CREATE TABLE ${t}_customer (id INTEGER PRIMARY KEY, name VARCHAR(80));"
  down 0001_customer "DROP TABLE ${t}_customer;"
  up 0002_orders "CREATE TABLE ${t}_orders (id INTEGER PRIMARY KEY, customer INTEGER);"
  down 0002_orders "DROP TABLE ${t}_orders;"
  up 0003_names "INSERT INTO ${t}_customer VALUES (1, 'one;'); -- said: two
INSERT INTO ${t}_customer VALUES (2, 'two');"
  down 0003_names "DELETE FROM ${t}_customer WHERE id < 3;"
}

# migrate COMMAND [ARG...]: runs it with the files in $dir.
migrate()
{
  dblock --prefix "$prefix" migrate "$@" --dir "$dir"
}

# Does the same with --json: the one object is kept in $json.
migrate_json()
{
  json=$(dblock --json --prefix "$prefix" migrate "$@" --dir "$dir")
}

# field KEY...: prints a value of the last object; see json_get.c.
field()
{
  json_get "$@" <<<"$json"
}

# Prints each migration's state, in one line: "1 applied, 2 pending".
states()
{
  local i n text=
  json=$(dblock --json --prefix "$prefix" migrate status --dir "$dir" "$@") || return
  n=$(field migrations '#') || return
  for ((i = 0; i < n; i++)); do
    text+="${text:+, }$(field migrations "$i" version) $(field migrations "$i" state)"
  done
  echo "$text"
}

# two_steps NUMBER_NAME FIRST SECOND: writes a file of two statements that servers run one by one;
# on SQLite they are one transaction.
two_steps()
{
  local head=
  [ "$DBLOCK_TEST_BACKEND" = postgresql ] && head='-- no-transaction
'
  up "$1" "$head$2;
$3;"
}

# Keeps all others from the table NAME, or on SQLite from the file, until `vacate`.
occupy()
{
  case $DBLOCK_TEST_BACKEND in
  sqlite) in_transaction "SELECT 1" ;;
  postgresql) in_transaction "LOCK TABLE $1 IN ACCESS EXCLUSIVE MODE" ;;
  mysql) in_transaction "SELECT * FROM $1 FOR UPDATE" "INSERT INTO $1 VALUES (99, 'x')" ;;
  esac
}

# Processes that were started meanwhile keep the pipe open, so its end is not waited for.
vacate()
{
  echo 'ROLLBACK;' >&"$transaction"
  exec {transaction}>&-
}
