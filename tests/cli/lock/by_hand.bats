#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A person may do these things to the tables with a database client; and what happens to the locks
# then.

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
}

teardown() {
  end_background
}

@test "a lock row deleted by hand: its holder has lost it, others can take it" {
  run -76 --separate-stderr dblock run deleted -- bash -c '. "$1"; sql "DELETE FROM dblock_lock"
    dblock run -n deleted -- true' - "$BATS_TEST_DIRNAME/../kit.bash"
  contains "$stderr" "lock 'deleted' was lost"
  is_free deleted
}

@test "a token by which a deleted row was held is stale; the next one is larger" {
  local old new
  old=$(dblock acquire gone --lease 1h)
  sql "DELETE FROM dblock_lock"
  run -1 dblock release gone "$old"
  run -1 dblock renew gone "$old" --lease 1h
  run -1 dblock show gone
  new=$(dblock acquire gone --lease 1h)
  ((new > old))
}

@test "a session row deleted by hand: ls says so, and break helps" {
  hold orphaned
  kill -KILL "$keeper"
  sql "DELETE FROM dblock_session"
  run -0 dblock ls orphaned
  contains "$output" " missing "
  run -75 dblock run -n orphaned -- true
  # (db.told_late has the break without --force, which waits for the longest ttl there is, half a
  # minute.)
  run -0 dblock break orphaned --force
  is_free orphaned
}

@test "a table of another shape under our name: 78 and its name, also with --auto-migrate" {
  sql "CREATE TABLE shape_lock (x INTEGER)"
  run -78 --separate-stderr dblock --prefix shape_ --auto-migrate run x -- touch "$BATS_TEST_TMPDIR/ran"
  contains "$stderr" shape_lock
  run -1 dblock --prefix shape_ schema up
  [ ! -e "$BATS_TEST_TMPDIR/ran" ]
  equal "$(sql "SELECT count(*) FROM shape_lock")" 0
}

@test "an open transaction keeps the row: nobody gets the lock before it ends, and who asks is told" {
  # SQLite locks the whole file: there, nothing can be asked at all.
  local busy=75 why=transaction reads=
  [ "$DBLOCK_TEST_BACKEND" = sqlite ] && busy=69 why="another connection has the database file"
  dblock acquire fenced --lease 1h
  # What a serializable transaction notes of its reads is in nobody's way, and not told.
  [ "$DBLOCK_TEST_BACKEND" = postgresql ] &&
    reads="SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; SELECT count(*) FROM dblock_session;"
  in_transaction "$reads UPDATE dblock_lock SET pid = pid WHERE name = 'fenced'"
  run "-$busy" --separate-stderr dblock --call-timeout 2s break fenced -w 300ms
  contains "$stderr" "dblock: break: "
  contains "$stderr" "$why"
  [[ $stderr != *SIReadLock* ]]
  run "-$busy" --separate-stderr dblock --call-timeout 2s run -n fenced -- true
  contains "$stderr" "dblock: run: "
  end_transaction
  run -0 dblock break fenced
  is_free fenced
}
