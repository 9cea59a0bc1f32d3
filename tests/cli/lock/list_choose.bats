#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock ls: in another order, only some of them, in colours, and again and again.

setup_file() {
  load ../kit
  with_tables
  # The order by names is none of the others.
  dblock acquire b-far --lease 3h
  dblock acquire c-near --lease 1h
  dblock acquire a-mid --lease 2h
  dblock acquire d-shared -s --lease 4h
  sql "UPDATE dblock_lock SET host = 'web-1', acquired = acquired - 3600000000 WHERE name = 'c-near'"
  sql "UPDATE dblock_lock SET host = 'web-2' WHERE name = 'b-far'"
  sql "UPDATE dblock_lock SET host = 'db-1', acquired = acquired - 7200000000 WHERE name = 'a-mid'"
}

setup() {
  load ../kit
}

teardown() {
  end_background
}

# Prints the names in the first column, behind the heads, as one line.
names_of() {
  dblock -q ls "$@" | awk 'NR > 1 { printf "%s%s", sep, $1; sep = " " }'
}

@test "--sort: by name, by age, by what is left, by host" {
  equal "$(names_of '?-*')" "a-mid b-far c-near d-shared"
  equal "$(names_of --sort name '?-*')" "a-mid b-far c-near d-shared"
  equal "$(names_of --sort age '?-*')" "a-mid c-near b-far d-shared"
  equal "$(names_of --sort left '?-*')" "c-near a-mid b-far d-shared"
  equal "$(names_of --sort host --host '*-?' '?-*')" "a-mid c-near b-far"
  equal "$(dblock --json ls --sort left '?-*' | sed -E 's/^\{"name":"([^"]*)".*/\1/' | tr '\n' ' ')" \
    "c-near a-mid b-far d-shared "
}

@test "--sort waiting: the longest line first; --waiters by who waits for longest" {
  hold z-one
  hold y-two
  background dblock run y-two -- true
  wait_for eval '[ "$(number_of y-two waiting)" = 1 ]'
  background dblock run z-one -- true
  background dblock run z-one -- true
  wait_for eval '[ "$(number_of z-one waiting)" = 2 ]'
  equal "$(names_of --sort waiting '?-???')" "z-one y-two a-mid b-far"
  equal "$(names_of --waiters)" "y-two z-one z-one"
  sql "UPDATE dblock_queue SET since = since - 7200000000 WHERE name = 'z-one'"
  equal "$(names_of --waiters --sort age)" "z-one z-one y-two"
  equal "$(names_of --waiters --older 1h)" "z-one z-one"
  equal "$(names_of --waiters --state late,dead)" ""
  equal "$(names_of --waiters --state alive --older 1h)" "z-one z-one"
  run -64 dblock ls --waiters --sort left
  contains "$output" "does not go with --waiters"
}

@test "only some: by host, by age, by mode, by state" {
  equal "$(names_of --host 'web-*' '?-*')" "b-far c-near"
  equal "$(names_of --host web-1 '?-*')" "c-near"
  equal "$(names_of --older 30m '?-*')" "a-mid c-near"
  equal "$(names_of --older 90m '?-*')" "a-mid"
  equal "$(names_of --mode shared '?-*')" "d-shared"
  hold mine
  equal "$(names_of --state session 'm*')" "mine"
  equal "$(names_of --state dead 'm*')" ""
  equal "$(names_of --state session,lease --mode exclusive mine)" mine
  sql "UPDATE dblock_session SET dead = true WHERE id = (SELECT session FROM dblock_lock WHERE name = 'mine')"
  equal "$(names_of --state dead,missing 'm*')" "mine"
  dblock run once-held -- true
  equal "$(names_of -a --state free 'once*')" "once-held"
  # A free lock is held in no mode, and for no time.
  equal "$(names_of -a --mode exclusive once-held)" ""
  equal "$(names_of -a --older 1ms once-held)" ""
  run -0 --separate-stderr dblock ls --older 9h
  equal "$output" ""
  contains "$stderr" "nothing like that"
}

@test "what is no order, mode, state or time for colours is told, without a database" {
  local args
  for args in "--sort size" "--mode big" "--state alive" "--waiters --state lease" "--color red" "--watch=never" \
    "--state dead,none"; do
    run -64 dblock -u sqlite:/no/such/folder/db ls $args
    contains "$output" "'${args##*[ =,]}'"
  done
  run -64 dblock ls --watch 5s extra
  contains "$output" "too many words"
}

@test "colours: always, and never to a file by itself" {
  local cyan=$'\033[36mlease\033[m'
  run -0 dblock ls a-mid
  lacks "$output" $'\033'
  run -0 dblock ls --color always a-mid
  contains "$output" " $cyan  "
  NO_COLOR=1 run -0 dblock ls --color always a-mid
  contains "$output" "$cyan"
  # What is aligned without colours is so with them.
  equal "$(dblock ls --color always '?-*' | sed 's/\x1b\[[0-9]*m//g' | sed 's/in .*//')" \
    "$(dblock ls '?-*' | sed 's/in .*//')"
  run -0 dblock --json ls --color always a-mid
  lacks "$output" $'\033'
}

@test "--watch: list after list, each with its time, until a signal ends it by that signal" {
  local out=$BATS_TEST_TMPDIR/out
  background dblock ls --watch=20ms 'c-*' >"$out"
  wait_for eval '[ "$(grep -c ^c-near "$out")" -ge 3 ]'
  [[ $(sed -n 1p "$out") =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}[+-][0-9]{2}:[0-9]{2}$ ]]
  [[ $(sed -n 2p "$out") =~ ^NAME\ +HELD ]]
  [[ $(sed -n 4p "$out") =~ ^[0-9]{4}- ]]
  lacks "$(cat "$out")" $'\033'
  wait_for takes_signals "$started"
  kill -HUP "$started"
  ended "$started"
  equal "$code" 129
  # A lock that is taken meanwhile is there in the next list.
  background dblock --json ls --watch=20ms w-new >"$out"
  wait_for eval '[ "$(grep -c time_us "$out")" -ge 2 ]'
  lacks "$(cat "$out")" w-new
  dblock acquire w-new --lease 1h
  wait_for grep -q '"name":"w-new"' "$out"
  kill -TERM "$started"
  ended "$started"
  equal "$code" 143
}

@test "--watch: a reader that goes away is named as that, whatever the database is closed with" {
  local stderr=$BATS_TEST_TMPDIR/stderr
  # Through a pipe whose reader ends after its first line.
  run -0 sh -c 'dblock --json ls --watch=20ms 2>"$1" | head -n 1' - "$stderr"
  contains "$(cat "$stderr")" "stdout cannot be written: Broken pipe"
}
