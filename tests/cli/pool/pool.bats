#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock pool; and permits of a capacity that is stored, with numbers.

setup() {
  load ../kit
  with_tables
  T=$BATS_TEST_TMPDIR
}

teardown() {
  end_background
}

@test "a capacity that is stored: followed, named, changed, printed" {
  run -1 --separate-stderr dblock pool resize p-gpu
  contains "$stderr" "'p-gpu' has no capacity that is stored"
  run -64 --separate-stderr dblock run -p 1/stored p-gpu -- true
  contains "$stderr" "dblock pool resize 'p-gpu' N"
  dblock pool resize p-gpu 2
  equal "$(dblock pool resize p-gpu)" 2
  hold p-gpu -p 2/stored
  run -75 dblock run -n -p 1/stored p-gpu -- true
  run -75 dblock run -n -p 1/2 p-gpu -- true
  run -64 --separate-stderr dblock run -n -p 1/3 p-gpu -- true
  contains "$stderr" "2 permits, as is stored, not of 3"
  dblock pool resize p-gpu 3
  dblock run -n -p 1 --capacity stored p-gpu -- true
  dblock run -n --capacity stored p-gpu -- true
  dblock run -n --capacity 3 p-gpu -- true
  run -75 dblock run -n --capacity=stored --permits=2 p-gpu -- true
  contains "$(dblock ls p-gpu)" "2 of 3"
}

@test "who waits goes on with a resize; 0 closes it" {
  dblock pool resize p-closed 0
  run -75 dblock run -n -p 1/stored p-closed -- true
  background dblock run -p 1/stored p-closed -- touch "$T/ran"
  wait_for eval '[ "$(dblock --json show p-closed | json_get waiting)" = 1 ]'
  [ ! -e "$T/ran" ]
  dblock pool resize p-closed 1
  ended "$started"
  [ -e "$T/ran" ]
}

@test "which permits: the smallest, for the command, and for scripts; not those of a run around" {
  dblock pool resize p-n 6
  # shellcheck disable=SC2016 # the command's own
  equal "$(dblock run -p 2/stored --numbered p-n -c 'echo $DBLOCK_PERMIT')" 0,1
  hold p-n -p 1/stored --numbered
  # shellcheck disable=SC2016
  equal "$(dblock run -p 2/stored --numbered p-n -- dblock run -p 1/stored --numbered p-n -c \
    'echo $DBLOCK_PERMIT; dblock run p-other -c "echo [\$DBLOCK_PERMIT]"')" $'3\n[]'
  run -0 dblock acquire p-n -p 2/stored --numbered --lease 1h
  [[ $output =~ ^[0-9]+\ 1,2$ ]]
  run -0 dblock acquire p-n -p 1/stored --lease 1h
  [[ $output =~ ^[0-9]+$ ]]
}

@test "what does not go together" {
  run -64 --separate-stderr dblock run -p 3 p-bad -- true
  contains "$stderr" "write 3/CAP, as in 3/10, or 3/stored"
  run -64 --separate-stderr dblock run -p 3/10 --capacity 10 p-bad -- true
  contains "$stderr" "say it once"
  run -64 --separate-stderr dblock run --capacity lots p-bad -- true
  contains "$stderr" "'lots' is no number from 1, nor the word stored"
  run -64 --separate-stderr dblock run -p 3 --capacity 2 p-bad -- true
  contains "$stderr" "more than there are"
  run -64 --separate-stderr dblock run -p x --capacity 2 p-bad -- true
  run -64 --separate-stderr dblock run -p 0/stored p-bad -- true
  contains "$stderr" "is not N/CAP"
  run -64 --separate-stderr dblock run --numbered p-bad -- true
  contains "$stderr" "--numbered is for --permits"
  run -64 --separate-stderr dblock run --capacity stored -s p-bad -- true
  contains "$stderr" "do not go together"
  run -64 --separate-stderr dblock pool resize p-bad 1.5
  contains "$stderr" "N is '1.5', and has to be a number from 0"
  run -64 --separate-stderr dblock pool resize p-bad 99999999999999999999
  hold p-lock
  run -64 --separate-stderr dblock pool resize p-lock 2
  contains "$stderr" "in use as a lock without permits"
}

@test "members: added, drained, removed, listed" {
  local table
  run -0 --separate-stderr dblock pool ls p-db
  contains "$stderr" "the pool has no members"
  dblock pool add p-db p-db-1 p-db-2 p-db-3
  hold p-db-1
  dblock pool drain p-db p-db-1 p-db-2
  table=$(dblock pool ls p-db)
  [[ $(sed -n 2p <<<"$table") =~ ^p-db\ +p-db-1\ +drained\ +$(uname -n):[0-9]+\ +1\ +0$ ]]
  [[ $(sed -n 3p <<<"$table") =~ ^p-db\ +p-db-2\ +drained\ +-\ +0\ +0$ ]]
  [[ $(sed -n 4p <<<"$table") =~ ^p-db\ +p-db-3\ +free ]]
  dblock run -n p-db-2 -- true
  dblock pool add p-db p-db-1
  contains "$(dblock pool ls p-db)" "held"
  run -1 --separate-stderr dblock pool remove p-db nobody p-db-3
  contains "$stderr" "'nobody' is no member of the pool 'p-db'"
  equal "$(dblock pool ls p-db | wc -l)" 3
  run -64 --separate-stderr dblock pool add '' x
  contains "$stderr" "the pool's name is empty"
  run -64 --separate-stderr dblock pool add p-db
  contains "$stderr" "NAME is missing"
}
