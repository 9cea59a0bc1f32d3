#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate on a server that takes no writes: a hot standby of PostgreSQL, a MariaDB that is
# read_only, as a replica is (case 25 of tests/migrate-cases.md). The test has its own server.

setup_file() {
  load ../kit
  export server=$DBLOCK_TEST_TMP/server script=$DBLOCK_SOURCE_DIR/tests/servers/$DBLOCK_TEST_DATABASE
  "$script" start "$server" 3>&- 4>&-
  case $DBLOCK_TEST_BACKEND in
  postgresql)
    DBLOCK_TEST_URL=$(cat "$server/url")
    their_url=$DBLOCK_TEST_URL
    ;;
  mysql)
    DBLOCK_TEST_URL=$(cat "$server/url")
    DBLOCK_TEST_URL="${DBLOCK_TEST_URL%%\?*}mysql?${DBLOCK_TEST_URL#*\?}"
    sql "CREATE DATABASE theirs"
    sql "CREATE USER someone@'%' IDENTIFIED BY 's3kr3t'"
    sql "GRANT ALL ON theirs.* TO someone@'%'"
    their_url=mysql://someone:s3kr3t@$(cat "$server/tcp")/theirs
    ;;
  esac
  export DBLOCK_TEST_URL their_url
}

setup() {
  load migrate
  with_dir
  DBLOCK_URL=$their_url
}

# From here on nothing can be written. A standby stays one without a primary to follow.
stand_by() {
  case $DBLOCK_TEST_BACKEND in
  postgresql)
    touch "$(cat "$server/folder")/data/standby.signal"
    chmod 644 "$(cat "$server/folder")/data/standby.signal"
    # A standby refuses the default isolation of these servers.
    echo "default_transaction_isolation = 'repeatable read'" >>"$(cat "$server/folder")/data/postgresql.conf"
    kill -INT "$(cat "$server/pid")"
    wait_for stopped "$(cat "$server/pid")"
    "$script" restart "$server" 3>&- 4>&-
    equal "$(sql "SELECT pg_is_in_recovery()")" t
    ;;
  mysql) sql "SET GLOBAL read_only = 1" ;;
  esac
}

stopped() {
  ! alive "$1"
}

@test "a standby: 0 if there is nothing to do, 7 if there is, and all that only reads works" {
  local command
  three
  migrate up
  stand_by
  run -0 --separate-stderr migrate up
  contains "$stderr" "nothing to do"
  up 0004_four "CREATE TABLE ${t}_four (id INTEGER);"
  run -7 --separate-stderr migrate up
  equal "$output" ""
  contains "$stderr" read-only
  run -0 migrate plan
  run -0 migrate verify
  run -3 migrate status --check
  equal "$(states)" "1 applied, 2 applied, 3 applied, 4 pending"
  for command in down "baseline 1 --scope other --yes" "repair 1 --forget --yes"; do
    # shellcheck disable=SC2086
    run -7 --separate-stderr migrate $command
    lacks "$stderr" s3kr3t
  done
  equal "$(states)" "1 applied, 2 applied, 3 applied, 4 pending"
}
