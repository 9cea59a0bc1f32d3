#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A user who may only read the tables looks at the locks; and the doctor counts who else can come.

setup() {
  load ../kit
  with_tables
  database=${DBLOCK_TEST_URL%%\?*}
  database=${database##*/}
  reader=look_$database
  case $DBLOCK_TEST_BACKEND in
  postgresql)
    sql "CREATE ROLE $reader LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO $reader"
    theirs=${DBLOCK_TEST_URL/postgres@/$reader@}
    ;;
  mysql)
    sql "CREATE USER $reader@localhost"
    sql "GRANT SELECT ON $database.* TO $reader@localhost"
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

look() {
  dblock -u "$theirs" "$@"
}

@test "ls, top, show, leader and graph want the right to read, and leave nothing behind" {
  local token before
  token=$(dblock acquire seen --lease 1h --value 'for all to see')
  before=$(sql "SELECT count(*) FROM dblock_session")
  run -0 look ls
  contains "$output" seen
  run -0 look ls -a
  run -0 look ls --waiters
  run -0 look show seen
  contains "$output" "token:    $token"
  contains "$output" "for all to see"
  run -1 look show nobody
  run -0 look leader seen
  contains "$output" "$token"
  run -0 look graph
  run -0 look ls --sort age --older 1ms
  contains "$output" seen
  run -0 look top -b -n 1
  contains "$output" "Held: 1, 0 dead, 0 missing"
  [[ $output =~ seen\ +lease ]]
  equal "$(sql "SELECT count(*) FROM dblock_session")" "$before"
}

@test "whatever else they try is refused, and named" {
  local command
  for command in "run x -- true" "acquire x --lease 1h" "reap" "break x" "request x"; do
    run -77 look $command
    contains "$output" dblock_session
  done
}

# MariaDB does not list a table that a user may not read, as if it did not exist.
@test "the history of migrations may not be read: 77 and the right, not that tables are missing" {
  local command table
  case $DBLOCK_TEST_BACKEND in
  postgresql) sql "REVOKE SELECT ON dblock_migration FROM $reader" ;;
  mysql)
    sql "REVOKE ALL PRIVILEGES, GRANT OPTION FROM $reader@localhost"
    for table in lock session queue request; do
      sql "GRANT SELECT, INSERT, UPDATE, DELETE ON $database.dblock_$table TO $reader@localhost"
    done
    ;;
  esac
  for command in ls "run x -- true" "acquire x --lease 1h"; do
    run -77 --separate-stderr look $command
    contains "$stderr" denied
    contains "$stderr" dblock_migration
    lacks "$stderr" "are missing"
  done
  [ "$DBLOCK_TEST_BACKEND" = postgresql ] || contains "$stderr" "SELECT command denied"
  run -7 look schema status
  run -2 look doctor
  contains "$output" "dblock_migration"
  lacks "$output" "tables of dblock are not there"
}

@test "the doctor says how many more clients there is room for" {
  run dblock doctor
  [[ $output =~ ok\ +connections\ +room\ for\ more\ clients.*:\ [1-9][0-9]+\ \(max_connections ]]
  case $DBLOCK_TEST_BACKEND in
  postgresql) sql "ALTER ROLE $reader CONNECTION LIMIT 3" ;;
  mysql) sql "ALTER USER $reader@localhost WITH MAX_USER_CONNECTIONS 3" ;;
  esac
  run look doctor
  [[ $output =~ warning\ +connections\ +room\ for\ clients.*:\ 0\ \(max_connections.*not\ one\ more ]]
}
