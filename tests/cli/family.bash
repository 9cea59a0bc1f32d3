# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# A command with a family that no TERM ends, and the next one, which is the witness that none of it is left.

# `stubborn` starts these processes; none of them heeds TERM.
pids=(itself child daemon)

# stubborn NAME [OPTION...]: does as hold, with a command that has a child, and a daemon that left
# group and session. $family is their pids.
stubborn()
{
  local dir=$BATS_TEST_TMPDIR/family.$RANDOM$RANDOM pid
  mkdir "$dir"
  background dblock run "$@" -- sh -c '
    trap "" TERM
    cd "$1"
    sh -c "echo \$\$ >child; while :; do sleep 0.05; done" &
    setsid sh -c "(echo \$(exec sh -c \"echo \\\$PPID\") >daemon; while :; do sleep 0.05; done) &"
    until [ -s child ] && [ -s daemon ]; do sleep 0.05; done
    echo $$ >new
    mv new itself
    while :; do sleep 0.05; done' - "$dir" 2>"$BATS_TEST_TMPDIR/stderr"
  holder=$started
  wait_for test -e "$dir/itself"
  command=$(cat "$dir/itself")
  guardian=$(parent_of "$command")
  keeper=$(parent_of "$guardian")
  family=()
  for pid in "${pids[@]}"; do
    family+=("$(cat "$dir/$pid")")
  done
  ends_with_test "${family[@]}" "$guardian" "$keeper"
  for pid in "${family[@]}"; do
    alive "$pid"
  done
}

# follow NAME: starts the next holder, whose command checks which of $family still run.
follow()
{
  background dblock run "$1" -- sh -c '
    out=$1
    shift
    for pid; do
      grep -qs "^State:[[:space:]][^ZX]" "/proc/$pid/status" && echo "$pid"
    done >"$out"
    true' - "$BATS_TEST_TMPDIR/survivors" "${family[@]}"
  follower=$started
}

nobody_survived()
{
  ended "$follower"
  equal "$code" 0
  equal "$(cat "$BATS_TEST_TMPDIR/survivors")" ""
}

is_stopped()
{
  grep -qs '^State:[[:space:]]T' "/proc/$1/status"
}

# These are stopped before they are killed together, so that none of them sees another one die.
stop()
{
  local pid
  for pid; do
    kill -STOP "$pid"
    wait_for is_stopped "$pid"
  done
}

dead()
{
  ! alive "$1"
}
