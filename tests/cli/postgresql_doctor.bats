#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock doctor, run by roles that may do less.

setup() {
  load kit
  role=role_${DBLOCK_TEST_URL%%\?*}
  role=role_${role##*/}
  theirs=${DBLOCK_TEST_URL/postgres@/$role@}
  with_tables
  sql "CREATE ROLE $role LOGIN"
}

teardown() {
  sql "DROP OWNED BY $role; DROP ROLE $role"
}

@test "a role without rights: 2, and which one is missing" {
  run -2 dblock -u "$theirs" doctor
  [[ $output =~ wrong\ +schema\ +the\ history\ of\ migrations\ may\ not\ be\ read ]]
  contains "$output" docs/operator/sql.md
  sql "GRANT SELECT ON dblock_migration, dblock_floor, dblock_lock, dblock_session, dblock_queue,
    dblock_once, dblock_flight, dblock_request, dblock_revocation, dblock_suspect,
    dblock_history, dblock_event TO $role"
  run -2 dblock -u "$theirs" doctor
  [[ $output =~ wrong\ +rights\ +a\ right\ is\ missing:\ doctor_insert.*dblock_lock ]]
}

@test "an application's rights are enough" {
  # Before PostgreSQL 15 everybody had that right.
  sql "REVOKE CREATE ON SCHEMA public FROM PUBLIC"
  sql "GRANT SELECT ON dblock_migration, dblock_floor, dblock_suspect TO $role;
    GRANT SELECT, INSERT, UPDATE ON dblock_lock, dblock_flight TO $role;
    GRANT SELECT, INSERT, UPDATE, DELETE ON dblock_session TO $role;
    GRANT SELECT, INSERT ON dblock_queue, dblock_once, dblock_history, dblock_event TO $role;
    GRANT SELECT, INSERT, UPDATE, DELETE ON dblock_request, dblock_revocation TO $role"
  run -2 dblock -u "$theirs" doctor
  [[ $output =~ wrong\ +rights\ +a\ right\ is\ missing:\ doctor_update.*dblock_queue ]]
  sql "GRANT UPDATE ON dblock_queue TO $role"
  run -2 dblock -u "$theirs" doctor
  [[ $output =~ wrong\ +rights\ +a\ right\ is\ missing:\ doctor_delete.*dblock_queue ]]
  sql "REVOKE ALL ON dblock_request FROM $role"
  sql "GRANT DELETE ON dblock_queue TO $role"
  # Without that right no heartbeat could be sent: that has to be said before anything is held.
  run -77 dblock -u "$theirs" run x -- true
  contains "$output" dblock_request
  sql "GRANT SELECT ON dblock_request TO $role"
  run -0 dblock -u "$theirs" run x -- true
  run -2 dblock -u "$theirs" doctor
  [[ $output =~ wrong\ +rights\ +a\ right\ is\ missing:\ doctor_insert.*dblock_request ]]
  sql "GRANT INSERT, UPDATE, DELETE ON dblock_request TO $role"
  run -1 dblock -u "$theirs" doctor
  [[ $output =~ ok\ +rights\ +this\ user\ may\ read\ and\ write ]]
  [[ $output =~ ok\ +rights\ +this\ user\ may\ not\ run\ \'dblock\ reap\' ]]
  [[ $output =~ ok\ +rights\ +no\ right\ to\ create\ tables ]]
  run -0 dblock -u "$theirs" run x -- dblock -u "$theirs" request x
  run -0 dblock -u "$theirs" run x --once slot -- true
  run -0 dblock -u "$theirs" run -s x -- true
  run -76 dblock -u "$theirs" run x -- dblock -u "$theirs" break x --force
  sql "GRANT DELETE ON dblock_lock, dblock_once, dblock_flight, dblock_event TO $role;
    GRANT SELECT, DELETE ON dblock_latch TO $role;
    GRANT INSERT, UPDATE ON dblock_floor TO $role; GRANT INSERT, UPDATE, DELETE ON dblock_suspect TO $role"
  run -1 dblock -u "$theirs" doctor
  [[ $output =~ ok\ +rights\ +this\ user\ may\ run\ \'dblock\ reap\' ]]
}

@test "a role that is read-only by default can be used all the same" {
  sql "GRANT ALL ON ALL TABLES IN SCHEMA public TO $role;
    ALTER ROLE $role SET default_transaction_read_only = on;
    ALTER ROLE $role SET synchronous_commit = off"
  run -1 dblock -u "$theirs" doctor
  [[ $output =~ ok\ +writable\ +transactions\ are\ read-only\ by\ default ]]
  contains "$output" "synchronous_commit is off by default"
  run -0 dblock -u "$theirs" run x -- true
}
