#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# No heartbeat succeeds, because somebody else has the session's row locked (on SQLite: the file).

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

# starve NAME [OPTION...]: starts a command that does not heed TERM but notes when it came, and
# notes ten times a second that it is still there, by the clock that the database goes by, in
# microseconds; then keeps its heartbeats from being written. $runner is dblock's pid.
starve() {
  local clock='date +%s%6N'
  # shellcheck disable=SC2016 # it is the command that shall expand it
  [ "$DBLOCK_TEST_BACKEND" = sqlite ] &&
    clock='read -r up _ </proc/uptime; echo "${up%.*}${up#*.}0000"'
  dir=$BATS_TEST_TMPDIR
  background dblock run "$@" -- sh -c "clock() { $clock; }"'
    trap "clock >\"$1/term\"" TERM
    echo $$ >"$1/new"
    mv "$1/new" "$1/pid"
    while :; do clock >>"$1/ticks"; sleep 0.1; done' - "$dir" 2>"$dir/stderr"
  runner=$started
  wait_for test -e "$dir/pid"
  ends_with_test "$(cat "$dir/pid")"
  keeper=$(parent_of "$(parent_of "$(cat "$dir/pid")")")
  ends_with_test "$keeper"
  in_transaction "UPDATE dblock_session SET host = host WHERE pid = $keeper"
}

expires() {
  sql "SELECT expires FROM dblock_session WHERE pid = $keeper"
}

@test "for longer than the ttl: TERM, then KILL before the lock's end; 76" {
  starve starved --ttl "$(slowly 3)" --call-timeout 1s
  local ends last term
  ends=$(expires)
  is_over() {
    ! alive "$runner"
  }
  wait_for is_over
  ended "$runner"
  equal "$code" 76
  contains "$(cat "$dir/stderr")" "dblock: run: lock 'starved' was lost while the command ran"
  run ! alive "$(cat "$dir/pid")"
  term=$(cat "$dir/term")
  last=$(tail -n 1 "$dir/ticks")
  echo "TERM $((ends - term)) us before the end, last seen $((ends - last)) us before it"
  ((term < last && last < ends))
  end_transaction
}

@test "for a third of the ttl: a heartbeat that is late costs nothing" {
  starve hiccup --ttl "$(slowly 9)"
  local before until
  before=$(expires)
  # A heartbeat is due every third of the ttl; TERM would come when 0.61 of it are over.
  local ttl
  ttl=$(slowly 9)
  until=$(($(now_ms) + ${ttl%s} * 1000 * 36 / 100))
  is_late() {
    (($(now_ms) > until))
  }
  wait_for is_late
  equal "$(expires)" "$before"
  end_transaction
  is_renewed() {
    [ "$(expires)" -gt "$before" ]
  }
  wait_for is_renewed
  alive "$(cat "$dir/pid")"
  [ ! -e "$dir/term" ]
}
