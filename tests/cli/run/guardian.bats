#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A command dies with its lock, whichever process of `dblock run` is killed or stopped.

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
  load ../family
}

teardown() {
  end_background
}

is_running() {
  ! is_stopped "$1"
}

@test "the keeper is killed: all that came from the command is dead before the next one's begins; 76" {
  stubborn killed --ttl "$(slowly 2)"
  follow killed
  kill -KILL "$keeper"
  ended "$holder"
  equal "$code" 76
  contains "$(cat "$BATS_TEST_TMPDIR/stderr")" "dblock: run: lock 'killed' was lost while the command ran"
  nobody_survived
}

@test "the keeper is stopped: it is sent on its way" {
  hold stopped
  kill -STOP "$keeper"
  wait_for is_running "$keeper"
  alive "$command"
  kill -TERM "$holder"
  ended "$holder"
  equal "$code" 143
}

@test "the keeper is stopped and the guardian killed: what the command left is dead before the next one's begins" {
  stubborn pair --ttl "$(slowly 2)"
  follow pair
  kill -STOP "$keeper"
  kill -KILL "$guardian"
  nobody_survived
  ended "$holder"
  equal "$code" 70
}

@test "what the shell started and the keeper are stopped: the same" {
  stubborn both --ttl "$(slowly 2)"
  follow both
  kill -STOP "$holder" "$keeper"
  nobody_survived
  kill -CONT "$holder" "$keeper"
  ended "$holder"
  equal "$code" 76
}

@test "what the shell started is stopped alone: lock and command outlast the ttl, and its end is told in the end" {
  local until
  until=$(slowly 2)
  hold fronted --ttl "$until"
  stop "$holder"
  until=$(($(now_ms) + ${until%s} * 1100))
  is_late() {
    (($(now_ms) > until))
  }
  wait_for is_late
  alive "$command"
  run -75 dblock run -n fronted -- true
  kill -USR2 "$command"
  wait_for dead "$keeper"
  is_stopped "$holder"
  is_free fronted
  kill -CONT "$holder"
  ended "$holder"
  equal "$code" 140
}

@test "in a script that is no shell's job nothing is hung up when its command ends while it is stopped" {
  local dir=$BATS_TEST_TMPDIR script front
  script='trap "echo HUP >\"$1/hup\"" HUP
    dblock run script --ttl "$2" -- sh -c "echo \$\$ >\"$1/new\"; mv \"$1/new\" \"$1/pid\"; sleep 1000" &
    echo $! >"$1/front"
    while kill -0 $! 2>/dev/null; do sleep 0.05; done'
  background setsid bash -c "$script" - "$dir" "$(slowly 2)"
  wait_for test -e "$dir/pid"
  command=$(cat "$dir/pid")
  front=$(cat "$dir/front")
  keeper=$(parent_of "$(parent_of "$command")")
  stop "$front" "$keeper"
  wait_for dead "$command"
  kill -CONT "$front" "$keeper"
  ended "$started"
  ! [ -e "$dir/hup" ]
}

@test "likewise when its command ends at once while something beside it is stopped" {
  run -0 timeout "$(slowly 60)" setsid -w sh -c '
    sleep 1000 3>&- &
    kill -STOP $!
    dblock run beside -- true
    code=$?
    grep "^State:[[:space:]]T" /proc/$!/status || code=99
    kill -KILL $!
    exit $code'
}

@test "all but the guardian are killed: the same" {
  stubborn alone --ttl "$(slowly 2)"
  follow alone
  kill -KILL "$holder" "$keeper"
  nobody_survived
  wait_for dead "$guardian"
}

@test "what the shell started is killed: the command is ended, and the lock released, not left to its ttl" {
  stubborn headless --ttl 1h --kill-after 200ms
  follow headless
  kill -KILL "$holder"
  nobody_survived
  wait_for dead "$keeper"
  wait_for dead "$guardian"
}

@test "the guardian is killed: the command is ended, the lock released; 70" {
  stubborn unguarded --ttl 1h
  follow unguarded
  kill -KILL "$guardian"
  ended "$holder"
  equal "$code" 70
  contains "$(cat "$BATS_TEST_TMPDIR/stderr")" "dblock: run: the guardian was killed"
  nobody_survived
}

@test "keeper and guardian are killed: the command is dead before the next one's begins" {
  stubborn orphaned --ttl "$(slowly 2)"
  follow orphaned
  stop "$holder" "$keeper" "$guardian"
  kill -KILL "$keeper" "$guardian"
  kill -CONT "$holder"
  ended "$holder"
  equal "$code" 76
  nobody_survived
}

@test "all of dblock is killed: the command itself is dead at once" {
  hold doomed --ttl 1h
  stop "$holder" "$keeper" "$guardian"
  kill -KILL "$guardian" "$keeper" "$holder"
  wait_for dead "$command"
}

@test "a guardian that is stopped is sent on its way" {
  hold watched
  kill -STOP "$guardian"
  wait_for is_running "$guardian"
  kill -TERM "$holder"
  ended "$holder"
  equal "$code" 143
}

@test "TERM comes first, and leaves time to clean up; even an exit with 0 is 76" {
  local up=$BATS_TEST_TMPDIR/up got=$BATS_TEST_TMPDIR/got
  background dblock run cleans --ttl "$(slowly 6)" -- sh -c '
    trap "sleep 0.5; echo cleaned >\"$2\"; exit 0" TERM
    echo $PPID >"$1.new"
    mv "$1.new" "$1"
    while :; do sleep 0.05; done' - "$up" "$got"
  wait_for test -e "$up"
  kill -KILL "$(parent_of "$(cat "$up")")"
  ended "$started"
  equal "$code" 76
  equal "$(cat "$got")" cleaned
}

@test "a command that was stopped gets its TERM all the same" {
  local up=$BATS_TEST_TMPDIR/up got=$BATS_TEST_TMPDIR/got pid
  background dblock run asleep --ttl "$(slowly 6)" -- sh -c '
    trap "echo TERM >\"$2\"; exit 0" TERM
    echo $$ >"$1.new"
    mv "$1.new" "$1"
    while :; do sleep 0.05; done' - "$up" "$got"
  wait_for test -e "$up"
  pid=$(cat "$up")
  kill -STOP "$pid"
  wait_for is_stopped "$pid"
  kill -KILL "$(parent_of "$(parent_of "$pid")")"
  ended "$started"
  equal "$code" 76
  equal "$(cat "$got")" TERM
}

@test "--kill-after: so long after TERM, and no longer, though there would be time" {
  local before after
  stubborn brief --ttl 10m --kill-after 300ms
  before=$(now_ms)
  kill -KILL "$keeper"
  ended "$holder"
  after=$(now_ms)
  equal "$code" 76
  ((after - before >= 300))
  ((after - before < 30000 * ${DBLOCK_TEST_SLOWNESS-1}))
  run -64 dblock run brief --kill-after soon -- true
}

@test "a lease that ends: the command is ended before" {
  stubborn leased --lease "$(slowly 10)"
  follow leased
  ended "$holder"
  equal "$code" 76
  nobody_survived
}

# taken_away NAME CMD...: CMD takes away a lease far from its end, from a command with time to
# spare.
taken_away() {
  local name=$1
  stubborn "$name" --lease 1h --ttl "$(slowly 2)" --kill-after 10m
  follow "$name"
  shift
  run -0 "$@"
  nobody_survived
  ended "$holder"
  equal "$code" 76
}

# told_why WHAT PID: the message must say what happened to the lock, and who did that.
told_why() {
  local pattern="was lost while the command ran: it was $1 by host [^ ]+, pid $2 \\(dblock\\), at 20"
  [[ $(<"$BATS_TEST_TMPDIR/stderr") =~ $pattern ]] || {
    cat "$BATS_TEST_TMPDIR/stderr" >&2
    return 1
  }
}

@test "a session's lock that is broken: all is dead when break returns, and when the next one's begins; by whom is said" {
  local breaker pid
  stubborn seized --kill-after 300ms
  follow seized
  background dblock break seized
  breaker=$started
  ended "$breaker"
  equal "$code" 0
  for pid in "${family[@]}"; do
    dead "$pid"
  done
  nobody_survived
  ended "$holder"
  equal "$code" 76
  told_why broken "$breaker"
}

@test "a lease that is broken: nobody waits for its end, so what ignores TERM is killed before the ttl" {
  taken_away broken dblock break broken
  told_why broken '[0-9]+'
}

@test "a lease that is released by its token: likewise" {
  release() {
    dblock --call-timeout "$(slowly 60)" release given "$(token_of given)"
  }
  taken_away given release
  told_why "released by its token," '[0-9]+'
}

@test "a lease that is broken while its command is ended for another reason: likewise" {
  end_and_break() {
    kill -KILL "$holder"
    dblock break left
  }
  stubborn left --lease 1h --ttl "$(slowly 2)" --kill-after 10m
  follow left
  run -0 end_and_break
  nobody_survived
}

@test "what the keeper learns reaches the guardian at once, not at the lock's old end" {
  local before after
  # A heartbeat, sent each 8 s, learns of it; the guardian by itself would act 21 s after the last
  # one.
  stubborn buried --ttl "$(slowly 24)" --kill-after 0
  before=$(now_ms)
  sql "DELETE FROM dblock_session WHERE pid = $keeper"
  ended "$holder"
  after=$(now_ms)
  equal "$code" 76
  echo "after $((after - before)) ms"
  ((after - before < 15000 * ${DBLOCK_TEST_SLOWNESS-1}))
  contains "$(cat "$BATS_TEST_TMPDIR/stderr")" "lock 'buried' was lost while the command ran: the database has forgotten it"
}

@test "the keeper is killed while it waits: its signal is told, and the command does not run" {
  hold waited
  background dblock run waited -- touch "$BATS_TEST_TMPDIR/ran"
  local waiter=$started waiting
  find_keeper() {
    waiting=$(pgrep -P "$waiter" -x dblock-keeper)
  }
  wait_for find_keeper
  wait_for pgrep -P "$waiting" -x dblock-guardian
  local its_guardian
  its_guardian=$(pgrep -P "$waiting" -x dblock-guardian)
  kill -KILL "$waiting"
  ended "$waiter"
  equal "$code" 137
  wait_for dead "$its_guardian"
  kill -TERM "$holder"
  ended "$holder"
  [ ! -e "$BATS_TEST_TMPDIR/ran" ]
}

@test "what the shell started is killed while it waits: nothing is left" {
  hold busy
  background dblock run busy -- touch "$BATS_TEST_TMPDIR/ran"
  local waiter=$started waiting
  find_keeper() {
    waiting=$(pgrep -P "$waiter" -x dblock-keeper)
  }
  wait_for find_keeper
  kill -KILL "$waiter"
  wait_for dead "$waiting"
  kill -TERM "$holder"
  ended "$holder"
  wait_for is_free busy
  [ ! -e "$BATS_TEST_TMPDIR/ran" ]
}

@test "-o: what the command leaves behind is not waited for, and goes on" {
  local left=$BATS_TEST_TMPDIR/left
  run -4 dblock run -o leaves -- sh -c \
    'sleep 1000 >/dev/null 2>&1 3>&- & echo $! >"$1"; exit 4' - "$left"
  ends_with_test "$(cat "$left")"
  is_free leaves
  alive "$(cat "$left")"
}

@test "who reads what the command writes sees its end when the command closes it" {
  local seen=$BATS_TEST_TMPDIR/seen
  dblock run closes -- sh -c 'echo one; exec >&-; until [ -e "$1" ]; do sleep 0.05; done' - "$seen" |
    {
      read -r line
      equal "$line" one
      code=0
      rest=$(timeout "$(slowly 60)" cat) || code=$?
      touch "$seen"
      equal "$code:$rest" 0:
    }
}

@test "a pipe that nobody reads any more ends the command as it would without dblock" {
  run -0 bash -c 'dblock run pipe -- sh -c "ulimit -c 0; exec yes" | head -n 1; exit "${PIPESTATUS[1]}"'
  equal "$output" y
  run -141 bash -c 'set -o pipefail; dblock run pipe -- yes | head -n 1'
}

@test "USR1 and USR2 are passed on" {
  local signal up
  for signal in USR1 USR2; do
    up=$BATS_TEST_TMPDIR/up.$signal
    background dblock run "hears $signal" -- sh -c '
      trap "exit 7" "$2"
      echo up >"$1"
      while :; do sleep 0.05; done' - "$up" "$signal"
    wait_for test -s "$up"
    kill -s "$signal" "$started"
    ended "$started"
    equal "$code" 7
  done
}

@test "the pid that others see is one that passes on TERM" {
  hold seen
  kill -TERM "$(number_of seen pid)"
  ended "$holder"
  equal "$code" 143
  is_free seen
}
