#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock reap.

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

@test "reap: says what it did" {
  run -0 --separate-stderr dblock reap
  equal "$stderr" ""
  [[ $output =~ ^sessions\ buried:\ [0-9]+,\ locks\ freed:\ [0-9]+,\ sessions\ deleted:\ [0-9]+,\ names\ purged:\ [0-9]+,\ marks\ deleted:\ [0-9]+,\ sessions\ watched:\ [0-9]+$ ]]
  run -0 dblock --json reap
  [[ $output =~ ^\{\"sessions_buried\":[0-9]+,\"locks_freed\":[0-9]+,\"sessions_deleted\":[0-9]+,\"names_purged\":[0-9]+,\"marks_deleted\":[0-9]+,\"sessions_watched\":[0-9]+\}$ ]]
}

@test "-q: reap says nothing, nor does schema up" {
  run -0 dblock -q reap --purge-after 0
  equal "$output" ""
  run -0 dblock -q --prefix quiet_ schema up
  equal "$output" ""
  run -0 dblock -q --prefix quiet_ schema down --all --yes
  equal "$output" ""
}

@test "reap buries the session of a killed holder and frees its lock, and not that of a living one" {
  hold dies --ttl "$(slowly 1)"
  local dead=$keeper
  hold stays --ttl "$(slowly 1)"
  kill -KILL "$dead"
  buried() {
    dblock reap >"$BATS_TEST_TMPDIR/out"
    [[ $(cat "$BATS_TEST_TMPDIR/out") =~ sessions\ buried:\ [1-9][0-9]*,\ locks\ freed:\ [1-9] ]]
  }
  wait_for buried
  run -0 dblock show dies
  contains "$output" "held:     no"
  run -75 dblock run -n stays -- true
  kill -TERM "$holder" # gives it back: the next test counts what is freed
  ended "$holder"
}

@test "reap --max-time: so long it watches who looks dead, and says how many it leaves to the next pass" {
  local bad
  hold late --ttl "$(slowly 2)"
  kill -KILL "$keeper"
  ended "$holder"
  # Without its mark: else it is known to be dead.
  sql "UPDATE dblock_session SET expires = expires - 3600000000, mark = '' WHERE pid = $keeper"
  run -0 dblock reap --max-time 0
  contains "$output" "sessions buried: 0, "
  contains "$output" "sessions watched: 1"
  run -0 dblock reap --max-time 1h
  contains "$output" "sessions buried: 1, locks freed: 1, "
  contains "$output" "sessions watched: 0"
  for bad in soon -1s 1e9d ''; do
    run -64 --separate-stderr dblock reap --max-time "$bad"
    contains "$stderr" "dblock: reap: --max-time"
  done
}

@test "reap frees leases that have ended, and --purge-after 0 deletes unused names; tokens still grow" {
  local old new
  old=$(dblock acquire purged --lease 1h)
  dblock release purged "$old"
  run -0 dblock reap --purge-after 7d
  run -0 dblock show purged
  run -0 dblock reap --purge-after 0
  [[ $output =~ names\ purged:\ [1-9] ]]
  run -1 dblock show purged
  new=$(dblock acquire purged --lease 1h)
  ((new > old))
  dblock acquire leased --lease 300ms
  freed() {
    dblock --json reap | grep -q '"locks_freed":1,'
  }
  wait_for freed
  run -0 dblock show leased
  contains "$output" "held:     no"
}

@test "reap --every: goes on until TERM or INT, and ends at once with 0" {
  local signal out
  for signal in TERM INT; do
    out=$BATS_TEST_TMPDIR/out.$signal
    background env --default-signal=INT dblock reap --every 100ms --purge-after 0 >"$out"
    local reaper=$started
    dblock run "reaped $signal" -- true
    wait_for grep -q 'names purged: [1-9]' "$out"
    kill -s "$signal" "$reaper"
    ended "$reaper"
    equal "$code" 0
  done
  background dblock reap --every 1h
  reaper=$started
  wait_for takes_signals "$reaper"
  local before after
  before=$(now_ms)
  kill -TERM "$reaper"
  ended "$reaper"
  after=$(now_ms)
  equal "$code" 0
  ((after - before < 20000 * ${DBLOCK_TEST_SLOWNESS-1}))
}
