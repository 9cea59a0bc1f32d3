#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Transactions over several databases that were left are seen: by the doctor, and by whom they keep waiting.

bats_require_minimum_version 1.5.0
load left

# What the doctor says of them.
diagnosis() {
  run dblock doctor
  grep ' global ' <<<"$output"
}

@test "doctor: nothing; what is prepared, and for how long; what was decided, and is not finished" {
  contains "$(diagnosis)" "no transaction over several databases has been left"
  local now
  now=$(date +%s)
  leave "$home" "$now"
  contains "$(diagnosis)" "no transaction over several databases has been left"
  give_up "$home" "$now"
  leave "$home" "$(($(date +%s) - 7260))"
  contains "$(diagnosis)" "that are prepared: 1, the oldest ($id) for 2 h 1 min: their rows stay locked"
  sql "INSERT INTO dblock_decision VALUES ('$id', 1, 1, '$home', 1)"
  contains "$(diagnosis)" "not finished everywhere: 1, the oldest for "
  run dblock doctor
  contains "$output" "dblock recover"
  run -0 dblock recover
  contains "$(diagnosis)" "no transaction over several databases has been left"
}

@test "break: a lock that a prepared transaction keeps" {
  dblock acquire kept --lease 1h
  leave "$home" 1000 "$home" "UPDATE dblock_lock SET value = 'v' WHERE name = 'kept';"
  run -75 dblock break kept --call-timeout 4s
  contains "$output" "prepared transaction"
  # Of MySQL's others may be on the server, and not all are told of.
  if [ "$DBLOCK_TEST_BACKEND" = postgresql ]; then
    contains "$output" "'dblock:$home:$id$home:1:1000'"
  else
    contains "$output" "of these: '"
  fi
  run -0 dblock recover
  run -0 dblock break kept
}
