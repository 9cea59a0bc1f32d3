#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock metrics as a role that may only read the tables, or some of them.

setup() {
  load ../kit
  load kit
  with_tables
  database=${DBLOCK_TEST_URL%%\?*}
  database=${database##*/}
  reader=look_$database
  case $DBLOCK_TEST_BACKEND in
  postgresql)
    sql "CREATE ROLE $reader LOGIN"
    theirs=${DBLOCK_TEST_URL/postgres@/$reader@}
    ;;
  mysql)
    sql "CREATE USER $reader@localhost"
    theirs=${DBLOCK_TEST_URL/root@/$reader@}
    ;;
  esac
}

teardown() {
  end_background
  case $DBLOCK_TEST_BACKEND in
  postgresql) sql "DROP OWNED BY $reader; DROP ROLE $reader" ;;
  mysql) sql "DROP USER $reader@localhost" ;;
  esac
}

may_read() {
  local table
  for table; do
    case $DBLOCK_TEST_BACKEND in
    postgresql) sql "GRANT SELECT ON dblock_$table TO $reader" ;;
    mysql) sql "GRANT SELECT ON $database.dblock_$table TO $reader@localhost" ;;
    esac
  done
}

look() {
  run -0 --separate-stderr dblock -u "$theirs" metrics "$@"
  read_numbers <<<"$output"
}

@test "the right to read the tables is enough, and nothing is said" {
  may_read session lock queue floor request once flight revocation suspect history event outbox \
    outbox_key outbox_failure inbox migration
  dblock -q acquire x --lease 1h
  look --names 5
  equal "$stderr" ""
  has 1 up
  has 1 grants held_by=lease mode=exclusive
  has 0 waiters state=alive
  has 25 schema_version
  equal "$(grep -c table_rows <<<"$numbers")" 16
  equal "$(grep -c table_bytes <<<"$numbers")" 16
}

@test "what it may not see is left out, with a line for each, and no error" {
  may_read session migration
  look
  has 1 up
  has 0 sessions state=alive
  equal "$(value grants held_by=lease mode=exclusive)" ""
  equal "$(value waiters state=alive)" ""
  equal "$(value oldest_wait_seconds)" ""
  between 1 1000000000 table_bytes table=session
  contains "$stderr" "left out: grants: "
  contains "$stderr" "left out: waiters: "
  contains "$stderr" "left out: messages to be delivered: "
  contains "$stderr" denied
  equal "$(wc -l <<<"$stderr")" 3
  # On a server as well, but not at each scrape.
  serve -u "$theirs"
  local first
  ask "$get"
  first=$body
  another() {
    ask "$get"
    [ "$body" != "$first" ]
  }
  wait_for another
  equal "$(grep -c "left out" "$log")" 3
}

@test "who is not let in any more: dblock_up 0, and not that all is left out" {
  may_read session lock queue migration
  serve -u "$theirs"
  ask "$get"
  read_numbers text <<<"$body"
  has 1 up
  case $DBLOCK_TEST_BACKEND in
  postgresql)
    sql "ALTER ROLE $reader NOLOGIN"
    sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '$reader'"
    ;;
  mysql)
    sql "ALTER USER $reader@localhost ACCOUNT LOCK"
    sql "KILL $(sql "SELECT id FROM information_schema.processlist WHERE user = '$reader'")"
    ;;
  esac
  is_down() {
    ask "$get"
    read_numbers text <<<"$body"
    has 0 up
  }
  wait_for is_down
  equal "$(value table_bytes table=lock)" ""
}
