#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock metrics: are the numbers right, and is it the format that it says?

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
  load kit
}

teardown() {
  end_background
}

waiting() {
  [ "$(number_of "$1" waiting)" = "$2" ]
}

snapshot() {
  dblock metrics "$@" >"$BATS_TEST_TMPDIR/metrics"
  read_numbers <"$BATS_TEST_TMPDIR/metrics"
}

# What the server guesses comes to it some time later.
rows_are() {
  snapshot
  has "$2" table_rows table="$1"
}

# No other test comes before this one: it counts what there is.
@test "a holder, two waiters, a lease, a dead session and a late one" {
  local first
  hold dead --ttl 1m
  local dead=$keeper
  hold late --ttl 1m
  local late=$keeper
  kill -KILL "$dead" "$late"
  wait_for eval "! alive $command"
  # The dead have no heartbeat, however long ago that was.
  sql "UPDATE dblock_session SET dead = true, expires = expires - 86400000000 WHERE pid = $dead"
  sql "UPDATE dblock_session SET expires = expires - 3600000000, mark = '' WHERE pid = $late"
  hold held --ttl 1m
  background dblock run -q --ttl 1m held -- true
  wait_for waiting held 1
  background dblock run -q --ttl 1m held -- true
  wait_for waiting held 2
  dblock -q acquire leased --lease 1h
  first=$(sql "SELECT min(ticket) FROM dblock_queue")
  sql "UPDATE dblock_queue SET since = since - 3600000000 WHERE ticket = $first"
  sql "UPDATE dblock_lock SET acquired = acquired - 7200000000 WHERE name = 'held'"
  # What nobody holds any more is not the oldest hold.
  sql "UPDATE dblock_lock SET acquired = acquired - 86400000000 WHERE name = 'dead'"

  snapshot --names 3
  has 1 up
  has 2 grants held_by=session mode=exclusive
  has 1 grants held_by=lease mode=exclusive
  has 1 grants held_by=dead mode=exclusive
  has 0 grants held_by=missing mode=exclusive
  has 0 grants held_by=session mode=shared
  has 2 waiters state=alive
  has 0 waiters state=late
  has 3 sessions state=alive
  has 1 sessions state=late
  has 1 sessions state=dead
  between 3600 5000 oldest_wait_seconds
  between 7200 8600 oldest_hold_seconds
  between 0 60 last_heartbeat_age_seconds
  between 3600 5000 oldest_heartbeat_age_seconds
  has "$(sql "SELECT max(version) FROM dblock_migration")" schema_version
  has 2 lock_waiters name=held
  between 3600 5000 lock_oldest_wait_seconds name=held
  between 0 60 scrape_duration_seconds
  wait_for rows_are queue 2
  wait_for rows_are lock 4
  between 1 1000000000 table_bytes table=lock
  equal "$(grep -c table_rows <<<"$numbers")" 16
}

@test "no label has the name of a lock, unless that was asked for, and then it is bound" {
  local name
  hold 'a "quoted\" name' --ttl 1m
  hold other --ttl 1m
  for name in 'a "quoted\" name' other; do
    background dblock run -q --ttl 1m "$name" -- true
    wait_for waiting "$name" 1
  done
  snapshot
  lacks "$numbers" quoted
  lacks "$numbers" name=
  snapshot --names 1000
  grep -F 'name=a "quoted\" name' <<<"$numbers" | grep 'lock_waiters.* 1\.0'
  snapshot --names 1
  equal "$(grep -c ^dblock_lock_waiters <<<"$numbers")" 1
  run -64 --separate-stderr dblock metrics --names 1001
  contains "$stderr" "--names: '1001' is not a number from 0 to 1000"
}

@test "modes, permits, and a wait of the dead, which does not count" {
  local before
  snapshot
  before=$(value waiters state=dead)
  hold m/s --shared --ttl 1m
  hold m/s --shared --ttl 1m
  hold m/p --permits 2/5 --ttl 1m
  background dblock run -q --ttl 1m m/s -- true
  wait_for waiting m/s 1
  local waiter
  waiter=$(sql "SELECT pid FROM dblock_session WHERE id = (SELECT session FROM dblock_queue
                  WHERE name = 'm/s' AND token IS NULL)")
  ends_with_test "$waiter"
  stop_between_writes "$waiter" # it would come back by another session
  sql "UPDATE dblock_queue SET since = since - 360000000000 WHERE name = 'm/s' AND token IS NULL"
  snapshot
  has 2 grants held_by=session mode=shared
  has 1 grants held_by=session mode=permits
  between 360000 370000 oldest_wait_seconds
  sql "UPDATE dblock_session SET dead = true WHERE id = (SELECT session FROM dblock_queue
         WHERE name = 'm/s' AND token IS NULL)"
  snapshot
  has "$((${before%.*} + 1))" waiters state=dead
  between 0 5000 oldest_wait_seconds
}

@test "what waits to be delivered, by topic" {
  local put
  put() { # TOPIC KEY NUMBER SECONDS-AGO
    sql "INSERT INTO dblock_outbox (topic, shard, msg_key, number, id, put_at, headers, body)
         VALUES ('$1', 0, '$2', $3, 1, $((($(date +%s) - $4) * 1000000)), '', '')"
  }
  snapshot
  lacks "$numbers" dblock_outbox_
  put mail a 1 7200
  put mail a 2 10
  put mail b 1 20
  put mail c 1 5
  put 'a "b"' x 1 0
  # Of b the message that failed is there no more.
  sql "INSERT INTO dblock_outbox_failure (topic, msg_key, shard, number, tries, since, due, error)
       VALUES ('mail', 'a', 0, 1, 3, 1, 1, 'no'), ('mail', 'c', 0, 1, 10, 1, NULL, 'no'),
              ('mail', 'b', 0, 7, 10, 1, NULL, 'no')"
  snapshot
  has 4 outbox_messages topic=mail
  between 7190 8600 outbox_oldest_seconds topic=mail
  has 1 outbox_failing_keys topic=mail
  has 1 outbox_parked_keys topic=mail
  has 1 outbox_messages 'topic=a "b"'
  has 0 outbox_failing_keys 'topic=a "b"'
  sql "DELETE FROM dblock_outbox"
  sql "DELETE FROM dblock_outbox_failure"
}

@test "it is both formats, and both parsers say the same" {
  local open
  snapshot
  open=$numbers
  read_numbers text <"$BATS_TEST_TMPDIR/metrics"
  equal "$numbers" "$open"
  equal "$(tail -n 1 "$BATS_TEST_TMPDIR/metrics")" "# EOF"
  grep -qx '# UNIT dblock_table_bytes bytes' "$BATS_TEST_TMPDIR/metrics"
  # Cut off, it is not taken for whole.
  run -1 other openmetrics <<<"$(sed '$d' "$BATS_TEST_TMPDIR/metrics")"
}

@test "--prefix: it is of those tables" {
  dblock -q --prefix app_ schema up
  snapshot --prefix app_
  has 0 sessions state=alive
  has 0 grants held_by=session mode=exclusive
  equal "$(value table_rows table=lock | wc -l)" 1
  dblock -q --prefix app_ schema down --all --yes
  run -78 --separate-stderr dblock --prefix app_ metrics
  contains "$stderr" "schema up"
  read_numbers <<<"$output"
  has 0 up
  equal "$(value sessions state=alive)" ""
}

@test "it leaves nothing behind, and wants no --json" {
  local before
  before=$(sql "SELECT count(*) FROM dblock_session")
  run -0 --separate-stderr dblock metrics
  equal "$stderr" ""
  equal "$(sql "SELECT count(*) FROM dblock_session")" "$before"
  run -64 dblock --json metrics
  contains "$output" "--json"
}

@test "the manual explains each metric, the dashboard shows each, and they and the alerts name no other" {
  local docs=$BATS_TEST_DIRNAME/../../../docs examples=$BATS_TEST_DIRNAME/../../../examples all file
  hold named --ttl 1m
  background dblock run -q --ttl 1m named -- true
  wait_for waiting named 1
  sql "INSERT INTO dblock_outbox (topic, shard, msg_key, number, id, put_at, headers, body)
       VALUES ('mail', 0, 'a', 1, 1, 1, '', '')"
  snapshot --names 1
  sql "DELETE FROM dblock_outbox"
  all=$(sed -n 's/^# TYPE \([^ ]*\) .*/\1/p' "$BATS_TEST_TMPDIR/metrics" | sort)
  equal "$(wc -l <<<"$all")" 19
  equal "$(sed -n 's/^| `\(dblock_[a-z_]*\)` |.*/\1/p' "$docs/operator/metrics.md" | sort)" "$all"
  equal "$(grep -o 'dblock_[a-z_]*' "$examples/grafana/dblock.json" | sort -u)" "$all"
  equal "$(grep -o 'dblock_[a-z_]*' "$examples/metrics/dblock.rules.yml" | sort -u | comm -23 - <(echo "$all"))" ""
  # An alert of the manual is there as it is written.
  grep '^| Dblock' "$docs/operator/metrics.md" | while IFS='|' read -r _ name when _; do
    grep -q "alert: ${name// /}$" "$examples/metrics/dblock.rules.yml"
    when=$(sed 's/^[^`]*`\([^`]*\)`.*/\1/' <<<"$when")
    grep -qF "expr: $when" "$examples/metrics/dblock.rules.yml"
  done
  equal "$(grep -c '^| Dblock' "$docs/operator/metrics.md")" "$(grep -c 'alert:' "$examples/metrics/dblock.rules.yml")"
}
