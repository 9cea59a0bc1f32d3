#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The network is cut while `dblock run` holds a lock, or waits for one.

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
  load ../relay
  T=$BATS_TEST_TMPDIR
  relay
}

teardown() {
  end_background
}

dead() {
  ! alive "$1"
}

@test "cut while the command runs: it is ended in time, 76 comes when it has ended, and why is said" {
  background dblock -u "$url" run cut --ttl "$(slowly 4)" --call-timeout "$(slowly 20)" -- \
    sh -c 'echo $$ >"$1.new"; mv "$1.new" "$1"; exec sleep 1000' - "$T/up" 2>"$T/stderr"
  local runner=$started before after
  wait_for test -e "$T/up"
  kill -STOP "$relay"
  wait_for dead "$(cat "$T/up")"
  before=$(now_ms)
  ended "$runner"
  after=$(now_ms)
  equal "$code" 76
  echo "ended $((after - before)) ms after the command"
  # Naive: it takes twice --call-timeout.
  ((after - before < 12000 * ${DBLOCK_TEST_SLOWNESS-1}))
  cat "$T/stderr"
  contains "$(cat "$T/stderr")" "lock 'cut' was lost while the command ran: no heartbeat got through for "
  contains "$(cat "$T/stderr")" "the command was ended"
  contains "$(cat "$T/stderr")" "lock 'cut' could not be released: "
}

@test "a failover forgets the lock: the command is ended at once, not with the next heartbeat" {
  background dblock -u "$url" run gone --ttl 30m -- \
    sh -c 'echo $$ >"$1.new"; mv "$1.new" "$1"; exec sleep 1000' - "$T/up" 2>"$T/stderr"
  local runner=$started before after
  wait_for test -e "$T/up"
  sql "DELETE FROM dblock_lock WHERE name = 'gone'"
  before=$(now_ms)
  kill -USR1 "$relay"
  wait_for dead "$(cat "$T/up")"
  after=$(now_ms)
  echo "ended $((after - before)) ms after the end of the connection"
  ended "$runner"
  equal "$code" 76
  contains "$(cat "$T/stderr")" "lock 'gone' was lost while the command ran: the database has forgotten it"
}

@test "cut while it waits: -w is the end" {
  local wait=$((4 * ${DBLOCK_TEST_SLOWNESS-1})) runner before after
  hold taken
  comes_in_queue() {
    dead "$runner" || dblock -q ls --waiters | grep -q taken
  }
  while :; do
    before=$(now_ms)
    background dblock -u "$url" run taken -w "${wait}s" --call-timeout "$((5 * wait))s" -- true \
      2>"$T/stderr"
    runner=$started
    wait_for comes_in_queue
    kill -STOP "$relay"
    # It asks for its place once a second, and must still do so before its time is up.
    (($(now_ms) - before > wait * 500)) || break
    kill -CONT "$relay"
    ended "$runner"
    ((wait *= 2))
  done
  ended "$runner"
  after=$(now_ms)
  cat "$T/stderr"
  echo "ended $((after - before)) ms after it began, with $code; its -w was $wait s"
  # The outcome is the same whatever was under way, even if it only looked for a deadlock
  # (db.wait_errand).
  equal "$code" 69
  # A request under way may take 3 s more; before it was two of --call-timeout.
  ((after - before < wait * 3750))
}
