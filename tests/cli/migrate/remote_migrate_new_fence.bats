#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The migration of `dblock migrate new --fence`: it can be applied, by the program and by the
# database's own client, and undone; its names are found. (tests/db/lock/tx/remote_fence_trigger.c
# tests the trigger.)

# The locks are in tables of one prefix; each test's migrations are in those of another.
setup_file() {
  load ../kit
  dblock -q --prefix locks_ schema up
}

new() {
  dblock --prefix locks_ migrate new --seq --dir "$dir" "$@"
}

setup() {
  load migrate
  with_dir
  up 0001_account "CREATE TABLE ${t}_account (id INTEGER PRIMARY KEY);"
}

# Prints the lock's grant, which exists, as dblock_fence() would tell the transaction.
grant_of() {
  sql "INSERT INTO locks_lock (name, token, nonce, host, pid, thread, reentry, acquired)
       VALUES ('${1//\'/\'\'}', 5, 7, 'h', 1, 1, 1, 1)"
}

# write LOCK ID [TABLE]: writes a row with a fence of this lock.
write() {
  local entry="'${1//\'/\'\'}	5	7	0
'"
  case $DBLOCK_TEST_BACKEND in
  postgresql) entry="SELECT set_config('dblock.fence', $entry, true)" ;;
  mysql) entry="SET @dblock_fence = CONVERT($entry USING ${charset-utf8mb4})" ;;
  esac
  client <<<"BEGIN; $entry; INSERT INTO ${3-${t}_account} VALUES ($2); COMMIT;"
}

refused() {
  run ! "$@"
  contains "$output" "dblock: "
}

@test "up, down, and up again: who has no fence is stopped while it stands" {
  new --fence ${t}_account
  grant_of ${t}_account
  for turn in 1 2; do
    migrate up
    refused sql "INSERT INTO ${t}_account VALUES (9)"
    contains "$output" "call dblock_fence()"
    contains "$output" "${t}_account"
    write ${t}_account "$turn"
    run -0 migrate down
    sql "INSERT INTO ${t}_account VALUES ($turn + 10)"
  done
  equal "$(sql "SELECT count(*) FROM ${t}_account")" 4
}

@test "a lock with quotes and signs in its name; the files read by the database's own client" {
  local lock="it's; \"{lock}\" \$dblock\$ // ü \\"
  migrate up
  new fenced --fence ${t}_account --lock "$lock"
  client <"$dir/0002_fenced.up.sql"
  [ "$DBLOCK_TEST_BACKEND" = mysql ] && lock=${lock/\\/\\\\}
  grant_of "$lock"
  refused sql "INSERT INTO ${t}_account VALUES (9)"
  contains "$output" "it's; "
  write "$lock" 1
  # The session's character set is another one.
  charset=latin1 write "$lock" 2
  refused write "${lock/ü/u}" 3
  client <"$dir/0002_fenced.down.sql"
  migrate up
  refused sql "INSERT INTO ${t}_account VALUES (9)"
  equal "$(sql "SELECT count(*) FROM ${t}_account")" 2
}

@test "the table in another schema than the locks" {
  local home=public x table cascade
  [ "$DBLOCK_TEST_BACKEND" = mysql ] && home=$(sql 'SELECT DATABASE()')
  [ "$DBLOCK_TEST_BACKEND" = postgresql ] && cascade=CASCADE
  x=${home}_x
  table=$x.${t}_account
  sql "CREATE SCHEMA $x"
  up 0001_account "CREATE TABLE $table (id INTEGER PRIMARY KEY);"
  new --schema "$home" --fence "$table"
  migrate up
  grant_of "$table"
  refused sql "INSERT INTO $table VALUES (9)"
  contains "$output" "call dblock_fence()"
  write "$table" 1 "$table"
  equal "$(sql "SELECT count(*) FROM $table")" 1
  migrate down
  sql "INSERT INTO $table VALUES (9)"
  sql "DROP SCHEMA $x $cascade"
}

@test "the comment's way to a lock for each row" {
  local file
  new --fence ${t}_account >"$dir/../files"
  file=$(head -n 1 "$dir/../files")
  case $DBLOCK_TEST_BACKEND in
  postgresql)
    sed -i "s/:= TG_ARGV\[0\];/:= 'account\/' || CASE TG_OP WHEN 'DELETE' THEN OLD.id ELSE NEW.id END;/
      s/ OR TRUNCATE//; s/FOR EACH STATEMENT/FOR EACH ROW/" "$file"
    ;;
  mysql)
    sed -i "/^CREATE TRIGGER/s/(_utf8mb4'[^']*')/(CONCAT('account\/', NEW.id))/
      /BEFORE DELETE/s/NEW/OLD/" "$file"
    ;;
  esac
  migrate up
  grant_of account/1
  write account/1 1
  refused write account/1 2
  contains "$output" "account/2"
  refused sql "DELETE FROM ${t}_account"
  contains "$output" "account/1"
  equal "$(sql "SELECT id FROM ${t}_account")" 1
}
