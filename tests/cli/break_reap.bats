#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock break and reap.

setup_file() {
  load kit
  with_tables
}

setup() {
  load kit
}

teardown() {
  end_background
}

@test "break: the old token is dead, the name is free, the next token is larger" {
  local old new
  old=$(dblock acquire broken --lease 1h)
  run -0 --separate-stderr dblock break broken
  equal "$output$stderr" ""
  run -1 dblock release broken "$old"
  run -1 dblock renew broken "$old" --lease 1h
  new=$(dblock acquire -n broken --lease 1h)
  ((new > old))
}

@test "break: 1 when nobody holds it, or another grant than --token" {
  run -1 --separate-stderr dblock break "no such name"
  contains "$stderr" "dblock: break: "
  local token
  token=$(dblock acquire picky --lease 1h)
  run -1 dblock break picky --token $((token - 1))
  run -75 dblock run -n picky -- true
  run -0 dblock break picky --token "$token"
  run -1 dblock break picky
  is_free picky
}

@test "break takes a lock from a living session" {
  hold living
  run -0 dblock break living -w 0
  is_free living
  kill -TERM "$holder"
  ended "$holder"
  equal "$code" 143
}

@test "break ends the rest that --at-least keeps" {
  dblock run --at-least 1h resting -- true
  run -75 dblock run -n resting -- true
  run -0 dblock break resting
  is_free resting
}

@test "reap: says what it did" {
  run -0 --separate-stderr dblock reap
  equal "$stderr" ""
  [[ $output =~ ^sessions\ buried:\ [0-9]+,\ locks\ freed:\ [0-9]+,\ sessions\ deleted:\ [0-9]+,\ names\ purged:\ [0-9]+$ ]]
  run -0 dblock --json reap
  [[ $output =~ ^\{\"sessions_buried\":[0-9]+,\"locks_freed\":[0-9]+,\"sessions_deleted\":[0-9]+,\"names_purged\":[0-9]+\}$ ]]
}

@test "reap buries the session of a killed holder and frees its lock, and not that of a living one" {
  hold dies --ttl 1s
  local dead=$holder
  hold stays --ttl 1s
  kill -KILL "$dead"
  buried() {
    dblock --json reap | grep -q '"sessions_buried":1,"locks_freed":1,'
  }
  wait_for buried
  run -0 dblock show dies
  contains "$output" "held:     no"
  run -75 dblock run -n stays -- true
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
  wait_for blocks_term "$reaper"
  local before after
  before=$(now_ms)
  kill -TERM "$reaper"
  ended "$reaper"
  after=$(now_ms)
  equal "$code" 0
  ((after - before < 20000))
}

blocks_term() {
  local mask
  mask=$(sed -n 's/^SigBlk:[[:space:]]*//p' "/proc/$1/status")
  (((16#$mask & 0x4000) != 0))
}

@test "ten reapers at once bury a session once" {
  hold contested --ttl 1s
  kill -KILL "$holder"
  local i pids=() total
  wait_for looks_expired contested
  for ((i = 0; i < 10; i++)); do
    background dblock --json reap >"$BATS_TEST_TMPDIR/reap.$i"
    pids+=("$started")
  done
  for i in "${pids[@]}"; do
    ended "$i"
    equal "$code" 0
  done
  total=$(cat "$BATS_TEST_TMPDIR"/reap.* | sed -E 's/.*"sessions_buried":([0-9]+).*/\1/' | paste -sd+ | bc_)
  equal "$total" 1
}

looks_expired() {
  [ "$(number_of "$1" left_ms)" -lt 0 ]
}

bc_() {
  local sum
  read -r sum
  echo $((sum))
}
