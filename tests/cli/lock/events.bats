#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock events and dblock explain: each kind of event is written where it happens, and the sentences say what
# it comes to.

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

# has NAME KIND...: has just these happened to the lock, in this order?
has() {
  local name=$1
  shift
  equal "$(kinds "$name")" "$*"
}

kinds() {
  dblock --json events "$1" | sed -E 's/.*"event":"([a-z]*)".*/\1/' | tr '\n' ' ' | sed 's/ $//'
}

# field NAME KIND KEY: what the last event of that kind says.
field() {
  dblock --json events "$1" | grep "\"event\":\"$2\"" | tail -n 1 | sed -nE "s/.*\"$3\":\"?([^\",}]*).*/\1/p"
}

@test "nothing happened: neither to who was never heard of, nor where locks come and go" {
  dblock run quiet -- true
  local token
  token=$(dblock acquire quiet --lease 1h)
  dblock renew quiet "$token" --lease 1h
  dblock release quiet "$token"
  run -0 --separate-stderr dblock events quiet
  equal "$output" ""
  contains "$stderr" "nothing happened that is known"
  run -0 dblock --json events quiet
  equal "$output" ""
  run -1 --separate-stderr dblock explain "never heard of"
  contains "$stderr" "no lock of this name is known"
  run -0 dblock explain quiet
  contains "$output" "Nobody has it."
  contains "$output" "Nothing is known to have happened to it."
  lacks "$output" "twice"
}

@test "schema: the tables were made" {
  run -0 dblock events
  contains "$output" "schema"
  contains "$output" "the tables were changed: migration 0021_event"
}

@test "broken: a lease that nobody can be told of; a token that is no more is refused" {
  local token
  token=$(dblock acquire lease --lease 1h)
  dblock break lease
  has lease broken
  equal "$(field lease broken token)" "$token"
  equal "$(field lease broken by_app)" dblock
  contains "$(field lease broken detail)" "nobody to be told"
  run -1 dblock release lease "$token"
  has lease broken refused
  run -1 dblock renew lease "$token" --lease 1h
  has lease broken refused refused
  equal "$(field lease refused token)" "$token"
  # Nobody else was granted it: it did not run twice.
  run -0 dblock explain lease
  lacks "$output" "twice"
  contains "$output" "its extension was refused, as that token does not hold the lock"
  contains "$output" "its release was refused, as that token does not hold the lock"
}

@test "after a break by force nobody is said to have had the token of the break" {
  local token last
  token=$(dblock acquire raised --lease 1h)
  dblock break raised --force
  last=$(token_of raised)
  [ "$last" -gt "$token" ]
  run -0 dblock explain raised
  contains "$output" "had it last, from "
  contains "$output" "; the next token is above $last."
  lacks "$output" "(token $last)"
  run -0 dblock show raised
  contains "$output" "$last (the next one is larger)"
}

@test "a lease that ran out is not told as one that was released" {
  local token
  dblock acquire ran-out --lease 200ms
  over() { dblock explain ran-out | grep -q "^Its lease ended at 2.*; it was not released"; }
  wait_for over
  run -0 dblock show ran-out
  contains "$output" "no: its lease is over"
  contains "$output" "until:    2"
  [ "$(number_of ran-out left_ms)" -le 0 ]
  token=$(dblock acquire ran-out --lease 1h)
  dblock release ran-out "$token"
  run -0 dblock explain ran-out
  lacks "$output" "lease"
}

@test "a name without a row is known by its events" {
  run -1 dblock release never-made 5
  run -0 dblock explain never-made
  contains "$output" "Nobody has it: it has no row"
  contains "$output" "its release was refused"
  dblock acquire purged --lease 1h
  dblock break purged
  sql "DELETE FROM dblock_lock WHERE name = 'purged'"
  run -1 dblock show purged
  run -0 dblock explain purged
  equal "${lines[0]}" "Nobody has it: it has no row (purged, or never made)."
  contains "$output" "it was broken"
  run -0 dblock --json explain purged
  contains "$output" '"held":"free","token":0,'
}

@test "a semaphore: how many of its permits, and that who had it last is not kept" {
  local token
  token=$(dblock acquire sem --lease 1h --permits 2/3)
  run -0 dblock explain sem
  contains "$output" "(token $token, 2 of 3 permits)."
  dblock release sem "$token"
  run -0 dblock explain sem
  equal "${lines[0]}" "Nobody has it; who had it last is not kept."
}

@test "broken: who has it is told and lets go; that is the holder's host, process and session" {
  hold living
  local token
  token=$(token_of living)
  dblock break living
  ended "$holder"
  has living broken
  equal "$(field living broken token)" "$token"
  equal "$(field living broken pid)" "$keeper"
  [[ $(field living broken session) =~ ^[0-9a-f]{32}$ ]]
  dblock run living -- true
  run -0 dblock explain living
  lacks "$output" "twice"
}

@test "forced: it may have run twice" {
  hold forced --kill-after 100ms
  # It does not let go by itself meanwhile, however slow `break` is, nor do the other two send it on its way, or
  # end it, as it stands still.
  stop_between_writes "$holder" "$guardian" "$keeper"
  dblock break forced --force
  kill -CONT "$holder" "$guardian" "$keeper"
  has forced broken forced
  ended "$holder"
  run -0 dblock explain forced
  lacks "$output" "twice"
  dblock run forced -- true
  run -0 dblock explain forced
  contains "$output" "It may have run twice, because "
  contains "$output" "it was broken by force"
}

@test "released: by its token, from elsewhere" {
  hold given
  dblock release given "$(token_of given)"
  ended "$holder"
  has given released
  equal "$(field given released pid)" "$keeper"
}

@test "ended: the process had ended; who waits says so, and it did not run twice" {
  hold killed
  kill -KILL "$keeper"
  run -0 dblock run killed -- true
  has killed ended
  equal "$(field killed ended pid)" "$keeper"
  run -0 dblock explain killed
  contains "$output" "its process had ended"
  lacks "$output" "twice"
}

@test "dead, and lost: a holder that was stopped, and came back" {
  hold stopped --ttl "$(slowly 1)"
  stop_between_writes "$holder" "$guardian" "$keeper"
  run -0 dblock run stopped -- true
  has stopped dead
  equal "$(field stopped dead pid)" "$keeper"
  run -0 dblock explain stopped
  contains "$output" "It may have run twice, because "
  contains "$output" "whether it had stopped by then is not known"
  kill -CONT "$keeper" "$guardian" "$holder"
  ended "$holder"
  equal "$code" 76
  wait_for has stopped dead lost
  equal "$(field stopped lost token)" "$(field stopped dead token)"
  run -0 dblock explain stopped
  contains "$output" "It may have run twice, because "
  contains "$output" "it lived when it was told that"
}

@test "expired: the reaper frees a lease that is over; what comes back with its token is refused" {
  local token
  token=$(dblock acquire short --lease 200ms)
  over() {
    dblock -q reap --max-time 0
    has short expired
  }
  wait_for over
  equal "$(field short expired token)" "$token"
  dblock run short -- true
  run -1 dblock release short "$token"
  run -0 dblock explain short
  contains "$output" "its lease was over"
  contains "$output" "it lived, and came back with its token later"
}

@test "a lease that was over before somebody took it: its old token tells" {
  local token
  token=$(dblock acquire cron --lease 200ms)
  taken() { dblock acquire -n cron --lease 1h; }
  wait_for taken
  run -0 dblock explain cron
  lacks "$output" "twice"
  run -1 dblock release cron "$token"
  has cron refused
  run -0 dblock explain cron
  contains "$output" "It may have run twice, because token $token came back"
  # A number that nobody was granted tells nothing.
  run -1 dblock release cron 5
  equal "$(dblock explain cron | grep -c twice)" 1
}

@test "the reaper's: dead, for no lock's sake, and what the dead had is freed" {
  hold reaped --ttl "$(slowly 1)"
  kill -KILL "$keeper"
  ended "$holder"
  # Without its mark: else it is known to have ended.
  sql "UPDATE dblock_session SET expires = expires - 3600000000, mark = '' WHERE pid = $keeper"
  dblock -q reap
  wait_for has reaped freed
  contains "$(field reaped freed detail)" "its session was dead"
  run -0 dblock --json events
  [[ $output =~ \"event\":\"dead\",\"name\":\"\",\"token\":0,\"host\":\"[^\"]*\",\"pid\":$keeper, ]]
}

@test "options: --limit, --after, --since; what is wrong with them is said" {
  local i id
  for i in 1 2 3; do
    dblock acquire many --lease 1h >/dev/null
    dblock break many
  done
  equal "$(dblock --json events many | wc -l)" 3
  equal "$(dblock --json events -n 2 many)" "$(dblock --json events many | tail -n 2)"
  id=$(dblock --json events -n 2 many | head -n 1 | sed -E 's/^\{"id":([0-9]+).*/\1/')
  equal "$(dblock --json events --after "$id" many)" "$(dblock --json events -n 1 many)"
  sql "UPDATE dblock_event SET at = at - 7200000000 WHERE id = $id"
  equal "$(dblock --json events --since 1h many | wc -l)" 2
  equal "$(dblock --json events --since 3h many | wc -l)" 3
  run -64 dblock events --limit -1
  run -64 dblock events --since never
  run -64 dblock events one two
  run -64 dblock explain
  run -64 dblock events ""
}

@test "--json is JSON: a line for each event, and one object of explain" {
  dblock acquire $'odd "name" \\' --lease 1h >/dev/null
  dblock break $'odd "name" \\'
  dblock --json events | while read -r line; do
    json_get id <<<"$line"
  done
  run -0 dblock --json explain $'odd "name" \\'
  equal "${#lines[@]}" 1
  json_get token <<<"$output"
  contains "$output" '"sentences":["Nobody has it.'
  contains "$output" '"events":[{"id":'
}

@test "explain: who has it, why it has not moved, who waits" {
  hold asked
  dblock request asked --reason "the night is over"
  background dblock run -q asked -- true
  waits() { dblock ls --waiters asked | grep -q asked; }
  wait_for waits
  run -0 dblock explain asked
  contains "$output" ":$keeper (dblock) has it since "
  contains "$output" "Its process lives, on this machine."
  contains "$output" "its holder sends its heartbeat in time"
  contains "$output" "asked at "
  contains "$output" ": the night is over."
  contains "$output" "1 waits for it; the first is "
  dblock acquire leased --lease 1h >/dev/null
  run -0 dblock explain leased
  contains "$output" "It has not moved, as its lease ends at "
  dblock run rests --at-least 1h -- true
  run -0 dblock explain rests
  contains "$output" "has released it"
  contains "$output" "its minimum hold ends at "
}

@test "tables that are too old have no events: that is said, and what to do" {
  dblock -q --prefix older_ schema up
  dblock -q --prefix older_ schema down --yes
  run -78 --separate-stderr dblock --prefix older_ events
  contains "$stderr" "too old for this library: migration 0025_pools was never applied"
  contains "$stderr" "run 'dblock schema up --prefix older_'"
}
