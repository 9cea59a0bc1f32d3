#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock doctor on servers with settings that matter, and that have others beside them. The test has
# its own server.

setup_file() {
  load kit
  export server=$DBLOCK_TEST_TMP/server
  DBLOCK_SERVER_SETTINGS='
    sysdate-is-now
    innodb-doublewrite = OFF
    innodb-flush-log-at-trx-commit = 0
    log-bin = binlog
    sync-binlog = 7
    server-id = 1
    transaction-isolation = READ-COMMITTED
    loose-gtid-mode = ON
    loose-enforce-gtid-consistency = ON
    loose-plugin-load-add = semisync_source.so;group_replication.so
    loose-group-replication-group-name = 5c6f1f3e-7d0b-4f2a-9d55-0d6f3a1b2c3d
    loose-group-replication-start-on-boot = OFF' \
    "$DBLOCK_SOURCE_DIR/tests/servers/$DBLOCK_TEST_DATABASE" start "$server" 3>&- 4>&-
  DBLOCK_TEST_URL=$(cat "$server/url")
  DBLOCK_TEST_URL="${DBLOCK_TEST_URL%%\?*}mysql?${DBLOCK_TEST_URL#*\?}"
  export DBLOCK_TEST_URL
}

setup() {
  load kit
}

# Prints the doctor's findings that are not good, or all of a topic.
bad() {
  dblock doctor -q || true
}

says() {
  [[ $(dblock doctor) =~ $1 ]]
}

on_mysql() {
  [ "$DBLOCK_TEST_DATABASE" = mysql ]
}

@test "settings are seen as they are" {
  says 'warning +durability +innodb_flush_log_at_trx_commit is 0'
  says 'warning +durability +innodb_flush_method is nosync'
  says 'warning +durability +innodb_doublewrite is OFF'
  says 'warning +durability +sync_binlog is 7'
  says 'warning +settings +sysdate-is-now is on'
  says 'ok +failover +no replica follows' || on_mysql # it has a group
}

@test "semi-synchronous, and nobody acknowledges: it has fallen back" {
  local side=master
  ! on_mysql || side=source
  sql "SET GLOBAL rpl_semi_sync_${side}_timeout = 1"
  sql "SET GLOBAL rpl_semi_sync_${side}_enabled = ON"
  says 'ok +failover +a commit, a heartbeat too, waits up to 1 ms'
  sql "CREATE TABLE semi (id INTEGER)"
  says 'warning +failover +semi-synchronous replication has fallen back'
  sql "SET GLOBAL rpl_semi_sync_${side}_enabled = OFF"
  lacks "$(dblock doctor)" semi-sync
}

# The server that it follows does not exist; it tries again and again.
@test "a server that follows another one, and takes writes" {
  if on_mysql; then
    sql "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = 1, SOURCE_USER = 'x'"
    sql "START REPLICA"
    says 'warning +failover +this server follows 127\.0\.0\.1:1 and takes writes'
  else
    sql "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = 1, MASTER_USER = 'x'"
    sql "START SLAVE"
    says 'warning +failover +this server follows another server and takes writes'
  fi
  sql "SET GLOBAL read_only = ON"
  says 'ok +writable +this server is a replica of'
  lacks "$(bad)" follows
  ! on_mysql || sql "SET GLOBAL super_read_only = ON"
  ! on_mysql || lacks "$(dblock doctor)" 'read_only is ON: only'
  sql "SET GLOBAL read_only = OFF"
  on_mysql || sql "STOP SLAVE"
  ! on_mysql || sql "STOP REPLICA"
  lacks "$(dblock doctor)" follows\ a
}

@test "a group: not joined, with one primary, with several" {
  on_mysql || skip "MariaDB has no group replication"
  says 'warning +failover +this server is OFFLINE in its group'
  local port
  # shellcheck disable=SC2016 # the other shell is meant
  port=$(test_servers=$DBLOCK_SOURCE_DIR/tests/servers sh -c '. "$test_servers/common"; free_port' sh x "$server")
  sql "SET GLOBAL group_replication_local_address = '127.0.0.1:$port'"
  sql "SET GLOBAL group_replication_bootstrap_group = ON; START GROUP_REPLICATION"
  lacks "$(dblock doctor)" OFFLINE
  says 'ok +failover +group replication with a single primary'
  says 'ok +failover +a new primary .*BEFORE_ON_PRIMARY_FAILOVER'
  lacks "$(dblock doctor)" 'no replica follows'
  sql "SET GLOBAL group_replication_consistency = EVENTUAL"
  says 'warning +failover +group_replication_consistency is EVENTUAL'
  sql "SELECT group_replication_switch_to_multi_primary_mode()"
  says 'warning +failover +group replication with several primaries'
  lacks "$(dblock doctor)" EVENTUAL
}
