#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Whoever of `dblock run` is killed, and however: the next one's command begins at once, not after the ttl,
# and not before all that came from the command is dead. No ttl here is so short that it could be the reason.

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

# killed_together WHO...: of holder, keeper and guardian. All are stopped first, so that none sees another one
# die; who is left goes on then.
killed_together() {
  local who pids=()
  stubborn "$*" --ttl 1h --kill-after 100ms
  follow "$*"
  for who; do
    pids+=("${!who}")
  done
  stop "$holder" "$keeper" "$guardian"
  kill -KILL "${pids[@]}"
  kill -CONT "$holder" "$keeper" "$guardian" 2>/dev/null || true
  nobody_survived
}

@test "one of them, or two" {
  killed_together holder
  killed_together keeper
  killed_together guardian
  killed_together holder keeper
  killed_together holder guardian
  killed_together keeper guardian
}

@test "one is killed while another one stands still" {
  local who other
  for who in holder keeper guardian; do
    for other in holder keeper guardian; do
      [ "$who" != "$other" ] || continue
      stubborn "$who-$other" --ttl 1h --kill-after 100ms
      follow "$who-$other"
      kill -STOP "${!other}"
      kill -KILL "${!who}"
      # Its parent sends on who stands still; but the front has none that would, nor the keeper without it.
      sleep 0.3
      [ "$other" = guardian ] || kill -CONT "${!other}" 2>/dev/null || true
      nobody_survived
    done
  done
}

@test "all of dblock: what the command has started keeps the lock, until it has ended" {
  stubborn all --ttl 1h
  follow all
  stop "$holder" "$keeper" "$guardian"
  kill -KILL "$holder" "$keeper" "$guardian"
  wait_for dead "${family[0]}" # the command itself: the kernel kills it
  alive "${family[1]}"
  run -75 dblock run -n all -- true
  kill -KILL "${family[1]}"
  run -75 dblock run -n all -- true
  kill -KILL "${family[2]}"
  nobody_survived
}

@test "all of dblock, and of the command: at once" {
  stubborn everything --ttl 1h
  follow everything
  stop "$holder" "$keeper" "$guardian" "${family[@]}"
  kill -KILL "$holder" "$keeper" "$guardian" "${family[@]}"
  nobody_survived
}

has_a_waiter() {
  [ "$(number_of "$1" waiting)" -gt 0 ]
}

# closer NAME [OPTION...]: a command that keeps no descriptor but the first three, as ssh and others do.
# Nor does the kernel kill it with its parent (prctl(PR_SET_PDEATHSIG, 0)): in time it would be dead too late.
closer() {
  background dblock run "$@" --ttl 1h --kill-after 100ms -- python3 -c '
import ctypes, os, sys, time, signal
os.closerange(3, 4096)
ctypes.CDLL(None).prctl(1, 0)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open(sys.argv[1] + ".new", "w").write(str(os.getpid()))
os.rename(sys.argv[1] + ".new", sys.argv[1])
while True: time.sleep(0.01)' "$BATS_TEST_TMPDIR/closer.$1"
  holder=$started
  wait_for test -e "$BATS_TEST_TMPDIR/closer.$1"
  command=$(cat "$BATS_TEST_TMPDIR/closer.$1")
  guardian=$(parent_of "$command")
  keeper=$(parent_of "$guardian")
  family=("$command")
  ends_with_test "$command" "$guardian" "$keeper"
}

@test "a command that has closed the descriptor is dead, too, before the next one's begins" {
  local who
  type python3 || skip "there is no python3"
  for who in holder keeper guardian; do
    closer "$who"
    follow "$who"
    kill -KILL "${!who}"
    nobody_survived
  done
  for who in all one; do # with -o as well
    closer "$who" ${options-}
    stop "$holder" "$keeper" "$guardian"
    kill -KILL "$holder" "$keeper" "$guardian"
    run -75 dblock run -n "$who" -- true
    alive "$command"
    follow "$who"
    sleep 0.3
    kill -KILL "$command"
    nobody_survived
    options=-o
  done
}

@test "what the command leaves in the background keeps the lock, as with flock; its end frees it" {
  local left=$BATS_TEST_TMPDIR/left
  run -4 dblock run --ttl "$(slowly 2)" leaves -- sh -c \
    'sleep 1000 >/dev/null 2>&1 3>&- & echo $! >"$1"; exit 4' - "$left"
  ends_with_test "$(cat "$left")"
  run -75 dblock run -w "$(slowly 4)" leaves -- true # beyond the ttl
  alive "$(cat "$left")"
  background dblock run leaves -- true
  kill -KILL "$(cat "$left")"
  ended "$started"
  equal "$code" 0
}

@test "it need not end: it may close the descriptor" {
  local go=$BATS_TEST_TMPDIR/go
  run -0 dblock run --ttl 1h closes -- bash -c '
    exec </dev/null >/dev/null 2>&1 3>&-
    (until [ -e "$1" ]; do sleep 0.05; done; exec 200>&-; exec sleep 1000) & echo $! >"$1.pid"' - "$go"
  ends_with_test "$(cat "$go.pid")"
  run -75 dblock run -n closes -- true
  touch "$go"
  run -0 dblock run -w "$(slowly 60)" closes -- true
  alive "$(cat "$go.pid")"
}

@test "what keeps the lock in the background is ended as the command would be, if the lock is broken" {
  local left=$BATS_TEST_TMPDIR/left
  run -0 dblock run --ttl "$(slowly 6)" kept -- sh -c \
    'sleep 1000 >/dev/null 2>&1 3>&- & echo $! >"$1"' - "$left"
  ends_with_test "$(cat "$left")"
  alive "$(cat "$left")"
  dblock break kept
  dead "$(cat "$left")"
  is_free kept
}

@test "the guardian of what keeps the lock in the background is killed: that is dead before the next one's begins" {
  local left=$BATS_TEST_TMPDIR/left
  # shellcheck disable=SC2016
  run -0 dblock run --ttl 1h lingers -- sh -c \
    'sh -c "while :; do sleep 0.05; done" >/dev/null 2>&1 3>&- & echo $! >"$1"' - "$left"
  family=("$(cat "$left")")
  ends_with_test "${family[0]}"
  follow lingers
  kill -KILL "$(parent_of "${family[0]}")"
  nobody_survived
}

@test "with --once, what is left in the background is not waited for" {
  local left=$BATS_TEST_TMPDIR/left
  run -0 dblock run --once today job -- sh -c \
    'sleep 1000 >/dev/null 2>&1 3>&- & echo $! >"$1"' - "$left"
  ends_with_test "$(cat "$left")"
  is_free job
  alive "$(cat "$left")"
}

@test "who can have no inotify asks by itself" {
  local few='echo 0 >/proc/sys/user/max_inotify_instances'
  unshare -Ur sh -c "$few" 2>/dev/null || skip "no user namespace may be made here"
  hold asked --ttl 1h
  background unshare -Ur sh -c "$few; exec dblock run asked -- true"
  wait_for has_a_waiter asked
  stop "$holder" "$keeper" "$guardian" "$command"
  kill -KILL "$holder" "$keeper" "$guardian" "$command"
  ended "$started"
  equal "$code" 0
}

@test "reap --local: a killed holder's lock is free at once, though nobody waits for it; show tells" {
  hold reaped --ttl 1h
  run -0 dblock reap --local
  lacks "$(dblock show reaped)" ended
  stop "$holder" "$keeper" "$guardian" "$command"
  kill -KILL "$holder" "$keeper" "$guardian" "$command"
  wait_for dead "$command"
  wait_for dead "$keeper"
  contains "$(dblock show reaped)" "by a process that has ended"
  contains "$(dblock --json show reaped)" '"process":"ended"'
  run -0 dblock reap --local
  contains "$output" "sessions buried: 1, locks freed: 1"
  contains "$(dblock show reaped)" "held:     no"
}

@test "reap --local connects only if somebody has ended; and says so if it cannot" {
  stubborn nobody --ttl 1h
  run -0 unshare -m sh -c 'mount -t tmpfs none /dev/shm && exec "$@"' - \
    dblock -u postgresql://127.0.0.1:1/none reap --local
  equal "${output%%,*}" "sessions buried: 0"
  kill -KILL "$holder" "$keeper" "$guardian" "${family[@]}"
  wait_for dead "$keeper"
  run -69 dblock -u postgresql://127.0.0.1:1/none reap --local
  run -0 dblock reap --local
}

@test "a child that goes on keeps the lock, and show tells that its process has ended" {
  stubborn left --ttl 1h
  kill -KILL "$holder" "$keeper" "$guardian"
  wait_for dead "$keeper"
  contains "$(dblock show left)" "its process has ended, but what came from that has not"
  contains "$(dblock --json show left)" '"process":"left"'
}

@test "--settle: the next one waits so long, and no longer than that and the ttl" {
  local killed
  stubborn settled --ttl 1h --settle 1s
  follow settled
  stop "$holder" "$keeper" "$guardian" "${family[@]}"
  killed=$(now_ms)
  kill -KILL "$holder" "$keeper" "$guardian" "${family[@]}"
  nobody_survived
  (($(now_ms) - killed >= 1000))
}

@test "without a descriptor for all of them together there is none for one alone: the ttl decides" {
  background sh -c 'ulimit -n 60; exec "$@"' - dblock run --ttl 1h few -- \
    sh -c 'echo $$ >"$1.new"; mv "$1.new" "$1"; exec sleep 1000' - "$BATS_TEST_TMPDIR/up"
  wait_for test -e "$BATS_TEST_TMPDIR/up"
  keeper=$(parent_of "$(parent_of "$(cat "$BATS_TEST_TMPDIR/up")")")
  ends_with_test "$keeper" "$(cat "$BATS_TEST_TMPDIR/up")"
  equal "$(sql "SELECT count(*) FROM dblock_session WHERE pid = $keeper AND mark = ''")" 1
}

@test "without /dev/shm the ttl decides, and all else is as ever" {
  unshare -m true 2>/dev/null || skip "no mount namespace may be made here"
  local ttl killed
  ttl=$(slowly 2)
  background unshare -m sh -c 'mount -o remount,bind,ro /dev/shm && exec "$@"' - \
    dblock run --ttl "$ttl" elsewhere -- sh -c 'echo $$ >"$1.new"; mv "$1.new" "$1"; exec sleep 1000' - \
    "$BATS_TEST_TMPDIR/up"
  wait_for test -e "$BATS_TEST_TMPDIR/up"
  command=$(cat "$BATS_TEST_TMPDIR/up")
  guardian=$(parent_of "$command")
  keeper=$(parent_of "$guardian")
  ends_with_test "$command" "$guardian" "$keeper"
  killed=$(now_ms)
  kill -KILL "$started" "$keeper" "$guardian" "$command"
  run -0 dblock run elsewhere -- true
  (($(now_ms) - killed >= ${ttl%s} * 500)) # the last heartbeat was a third of the ttl ago at most
}
