#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock graph: the picture of who waits for whom, and its lines of JSON.

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

# Succeeds when the program says that so many wait for a lock.
so_many_wait() {
  [ "$(number_of "$1" waiting)" = "$2" ]
}

# waits NAME N: starts the N-th process that waits for it; $waiter is the name of its thread in the
# picture.
waits() {
  background dblock run "$1" -- true
  wait_for so_many_wait "$1" "$2"
  local pid
  pid=$(dblock --json show -- "$1" | json_get queue $(($2 - 1)) pid)
  ends_with_test "$pid"
  waiter=$(uname -n):$pid:$pid
}

box() {
  printf '\t"%s" [label="%s\\ndblock"];\n' "$1" "$1"
}

arrow() {
  printf '\t"%s" -> "%s" [label="%s"%s];\n' "$@"
}

@test "nobody waits: an empty picture" {
  hold lonely
  run -0 --separate-stderr dblock graph lonely
  equal "$output" $'digraph dblock {\n\trankdir=LR;\n\tnode [shape=box];\n}'
  equal "$stderr" ""
}

@test "two wait: boxes, each once, then arrows, by name and by who came first; quotes are escaped" {
  local name='two "x\y"' said='two \"x\\y\"' first second held
  hold "$name"
  held=$(uname -n):$keeper:$keeper
  waits "$name" 1
  first=$waiter
  waits "$name" 2
  second=$waiter
  run -0 --separate-stderr dblock graph 'two*'
  equal "$output" "digraph dblock {
	rankdir=LR;
	node [shape=box];
$( (box "$held"; box "$first"; box "$second") | LC_ALL=C sort)
$(arrow "$first" "$held" "$said\\nexclusive, held exclusive" "")
$(arrow "$second" "$held" "$said\\nexclusive, held exclusive" "")
$(arrow "$second" "$first" "$said\\nexclusive, behind exclusive" ", style=dotted")
}"
  equal "$stderr" ""
  run -0 dblock --json graph 'two*'
  equal "${#lines[@]}" 3
  equal "$(json_get to pid <<<"${lines[0]}")" "$keeper"
  equal "$(json_get kind <<<"${lines[2]}")" "in line"
  run -0 dblock graph 'none*'
  lacks "$output" "->"
}

# Processes inside of processes are not threads that wait for each other: no deadlock is found, and
# a person sees it in the graph.
@test "runs inside of runs that wait crosswise are seen in it" {
  local a b in_a
  hold outer-a
  a=$(uname -n):$keeper:$keeper
  hold outer-b
  b=$(uname -n):$keeper:$keeper
  waits outer-b 1
  in_a=$waiter
  waits outer-a 1
  run -0 dblock graph 'outer-*'
  contains "$output" "$(arrow "$waiter" "$a" "outer-a\\nexclusive, held exclusive" "")"
  contains "$output" "$(arrow "$in_a" "$b" "outer-b\\nexclusive, held exclusive" "")"
}
