#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock doctor, run by users who may do less.

setup() {
  load kit
  database=${DBLOCK_TEST_URL%%\?*}
  database=${database##*/}
  user=u_$database
  theirs=${DBLOCK_TEST_URL/root@/$user@}
  with_tables
  sql "CREATE USER $user@localhost"
}

teardown() {
  sql "DROP USER $user@localhost"
}

grant() {
  sql "GRANT $1 TO $user@localhost"
}

application() {
  grant "SELECT ON dblock_migration"
  grant "SELECT ON dblock_floor"
  grant "SELECT ON dblock_suspect"
  grant "SELECT, INSERT, UPDATE ON dblock_lock"
  grant "SELECT, INSERT, UPDATE, DELETE ON dblock_session"
  grant "SELECT, INSERT, UPDATE, DELETE ON dblock_queue"
  grant "SELECT, INSERT, UPDATE, DELETE ON dblock_request"
  grant "SELECT, INSERT, UPDATE, DELETE ON dblock_revocation"
  grant "SELECT, INSERT ON dblock_once"
  grant "SELECT, INSERT ON dblock_history"
  grant "SELECT, INSERT ON dblock_event"
  grant "SELECT, INSERT, UPDATE ON dblock_flight"
}

@test "a user without rights: 2, and which one is missing" {
  grant "SELECT ON $database.*"
  run -2 dblock -u "$theirs" doctor
  [[ $output =~ wrong\ +rights\ +a\ right\ is\ missing:\ doctor_insert.*INSERT ]]
  contains "$output" docs/operator/sql.md
}

@test "an application's rights are enough" {
  application
  run -1 dblock -u "$theirs" doctor
  [[ $output =~ ok\ +rights\ +this\ user\ may\ read\ and\ write ]]
  [[ $output =~ ok\ +rights\ +this\ user\ may\ not\ run\ \'dblock\ reap\' ]]
  [[ $output =~ ok\ +rights\ +no\ right\ to\ create\ tables ]]
  [ "$DBLOCK_TEST_DATABASE" = mariadb ] || [[ $output =~ ok\ +failover\ +this\ user\ may\ not\ see ]]
  run -0 dblock -u "$theirs" run x -- dblock -u "$theirs" request x
  run -0 dblock -u "$theirs" run x --once slot -- true
  run -0 dblock -u "$theirs" run -s x -- true
  run -76 dblock -u "$theirs" run x -- dblock -u "$theirs" break x --force
}

@test "a right less: UPDATE on the queue" {
  application
  sql "REVOKE UPDATE ON dblock_queue FROM $user@localhost"
  run -2 dblock -u "$theirs" doctor
  [[ $output =~ wrong\ +rights\ +a\ right\ is\ missing:\ doctor_update.*dblock_queue ]]
}

@test "the right to create is seen: on all, on the database, by a pattern" {
  application
  grant "CREATE ON \`${database//_/\\_}\`.*"
  run -1 dblock -u "$theirs" doctor
  [[ $output =~ ok\ +rights\ +this\ user\ may\ create\ tables ]]
}

# MariaDB writes the right as two words.
@test "what a role may do cannot be seen, and that is said" {
  application
  sql "CREATE ROLE r_$database"
  grant "r_$database"
  sql "GRANT PROCESS, CONNECTION ADMIN ON *.* TO r_$database" ||
    sql "GRANT PROCESS, CONNECTION_ADMIN ON *.* TO r_$database"
  sql "SET DEFAULT ROLE r_$database FOR $user@localhost" ||
    sql "SET DEFAULT ROLE r_$database TO $user@localhost"
  run -1 dblock -u "$theirs" doctor
  sql "DROP ROLE r_$database"
  [[ $output =~ ok\ +wakeups\ .*if\ its\ roles\ give\ PROCESS ]]
}
