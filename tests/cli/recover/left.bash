# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Transactions over several databases that were left, in one database, which is home and branch.

bats_require_minimum_version 1.5.0

setup_file() {
  load ../kit
  with_tables
  # A client that lives for a while begins the database's history.
  while [ -z "$(sql 'SELECT id FROM dblock_history WHERE n = 1')" ]; do
    dblock -q run --ttl 1s recover -- sleep 1
  done
}

setup() {
  load ../kit
  sql 'DELETE FROM dblock_decision'
  sql 'DELETE FROM dblock_branch'
  home=$(sql 'SELECT id FROM dblock_history WHERE n = 1')
  id=$(printf '%016x' "$BATS_TEST_NUMBER$RANDOM")
}

# As dblock_global_commit() leaves it: prepared by a program that has died since. leave HOME [SINCE [HISTORY [SQL]]]:
# SQL is what else is done in it.
leave() {
  local gtrid="dblock:$1:$id" bqual="${3-$home}:1:${2-1000}" more=${4-}
  if [ "$DBLOCK_TEST_BACKEND" = postgresql ]; then
    sql "BEGIN; INSERT INTO dblock_branch VALUES ('$gtrid$bqual', 1); $more
      PREPARE TRANSACTION '$gtrid$bqual'"
  else
    sql "XA START '$gtrid', '$bqual'; INSERT INTO dblock_branch VALUES ('$gtrid$bqual', 1); $more
      XA END '$gtrid', '$bqual'; XA PREPARE '$gtrid', '$bqual'"
  fi
}

give_up() {
  local gtrid="dblock:$1:$id" bqual="${3-$home}:1:${2-1000}"
  if [ "$DBLOCK_TEST_BACKEND" = postgresql ]; then
    sql "ROLLBACK PREPARED '$gtrid$bqual'"
  else
    sql "XA ROLLBACK '$gtrid', '$bqual'"
  fi
}

# fits KIND: is what `run` has got as docs/json/dblock.schema.json says?
fits() {
  local tests=$BATS_TEST_DIRNAME/../..
  printf '%s\t%s\n' "$1" "$output" |
    /usr/bin/python3 "$tests/cli/ui/json_schema.py" "$tests/../docs/json/dblock.schema.json"
}
