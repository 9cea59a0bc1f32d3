#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Processes of `dblock run` are killed and stopped by chance, again and again; each command writes its token to
# a pipe as fast as it can. Once a larger token has come out of it, a smaller one must not come any more.

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
  load ../family
  export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" # who looks for them waits for one that is stopped
  log=$BATS_TEST_TMPDIR/log
  pipe=$BATS_TEST_TMPDIR/pipe
  mkfifo "$pipe"
}

# The log has a line for each change of what comes; and the pipe, which has no end, a reader all the time.
witness() {
  exec 9<>"$pipe"
  background stdbuf -oL uniq "$pipe" >"$log" 9<&-
}

teardown() {
  end_background
}

# A shell keeps the descriptor that it inherits, and node, but not for its children; Python's closes it here,
# as ssh and many a program do.
by_sh='while :; do echo "$DBLOCK_TOKEN"; done >"$1"'
by_python='
import os, sys
os.closerange(3, 4096)
log = os.open(sys.argv[1], os.O_WRONLY)
while True: os.write(log, (os.environ["DBLOCK_TOKEN"] + "\n").encode())'
by_node='
const fs = require("fs"), log = fs.openSync(process.argv[1], "w");
for (;;) fs.writeSync(log, process.env.DBLOCK_TOKEN + "\n");'

# start N: the N-th holder; its processes are $holder, $keeper, and once it runs $guardian and $command.
start() {
  local argv=(sh -c "$by_sh" -)
  case $(($1 % (2 + has_node))) in
  1) argv=(python3 -c "$by_python") ;;
  2) argv=(node -e "$by_node") ;;
  esac
  background dblock run witness --ttl 1h --kill-after 20ms -- "${argv[@]}" "$pipe" 2>/dev/null 9<&-
}

runs() {
  [ "$(tail -n 1 "$log")" != "$1" ] && [ -s "$log" ]
}

# some_of WORD...: prints each of them or not, by chance, but at least one.
some_of() {
  local word some=
  until [ -n "$some" ]; do
    for word; do
      ((RANDOM % 2)) && some+=" $word"
    done
  done
  echo "$some"
}

# With ./dev test strikes there are a thousand rounds.
@test "no command writes once the next one has begun, whoever was killed" {
  local i rounds=${DBLOCK_STRIKE_ALL:+1000} last='' next victims stopped
  type python3 || skip "there is no python3"
  : "${rounds:=12}"
  has_node=0
  ! type node || has_node=1
  witness
  start 0
  next=$started
  for ((i = 1; i <= rounds; i++)); do
    holder=$next
    wait_for runs "$last"
    last=$(tail -n 1 "$log")
    keeper=$(pgrep -P "$holder")
    guardian=$(pgrep -P "$keeper")
    command=$(pgrep -P "$guardian")
    start "$i"
    next=$started
    ((RANDOM % 3)) || sleep 0.1 # the next one may not have come yet
    victims=$(some_of "$holder" "$keeper" "$guardian" "$command")
    stopped=$(some_of "$holder" "$keeper" "$guardian")
    echo "round $i: kills $victims of $holder $keeper $guardian $command, stops $stopped"
    # shellcheck disable=SC2086 # words
    if ((RANDOM % 2)); then kill -STOP $stopped; fi
    # shellcheck disable=SC2086 # words
    kill -KILL $victims
    case $victims in
    *"$holder"* | *"$keeper"* | *"$guardian"*) ;;
    *) kill -CONT "$holder" "$keeper" "$guardian" 2>/dev/null || true ;; # unless they have gone with the command
    esac
    # What is left and stands still would keep the lock for the ttl, as it should.
    sleep 0.05
    kill -CONT "$holder" "$keeper" "$guardian" 2>/dev/null || true
    wait "$holder" 2>/dev/null || true
  done
  kill -KILL "$next"
  sort -n -c "$log"
  (($(sort -u "$log" | wc -l) >= rounds))
}
