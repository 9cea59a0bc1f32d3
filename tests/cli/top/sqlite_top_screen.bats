#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock top on a terminal of 80x24 and one of 200x50, as a person types at it. The terminal is tmux's.

setup() {
  load ../kit
  load kit
  with_terminal
}

teardown() {
  end_terminal
}

# Forty locks with their own ends: lock-10 to lock-49.
with_locks() {
  local i values=
  dblock -q schema up >/dev/null
  for ((i = 10; i < 50; i++)); do
    values+="${values:+, }('lock-$i', $i, 0, 'a-host-of-theirs', $i, 1, 1, (1000 + $i) * 1000000, 9000000000000000)"
  done
  sql "DELETE FROM dblock_queue; DELETE FROM dblock_session; DELETE FROM dblock_lock"
  sql "INSERT INTO dblock_lock (name, token, nonce, host, pid, thread, reentry, acquired, expires) VALUES $values"
}

@test "80x24: a head, as many locks as fit, scrolling, sorting, a pattern, help, and the screen as it was" {
  with_locks
  hold waited
  background dblock run waited -- true
  wait_for eval '[ "$(number_of waited waiting)" = 1 ]'
  terminal 80 24
  type_keys 'echo before' Enter
  wait_for on_line 2 before
  start_top -d 1h
  on_line 1 'dblock top - '
  [[ $(screen | sed -n 2p) =~ Sessions:\ 2\ alive.*Held:\ 41 ]]
  [[ $(screen | sed -n 3p) =~ ^Waiting:\ 1,\ oldest\  ]]
  on_line 4 'Shown: 1 to 18 of 41, by line'
  on_line 6 'NAME '
  on_line 7 'waited '
  on_line 24 lock-26
  equal "$(screen | wc -L | awk '{ print ($1 <= 80) }')" 1
  lacks "$(screen | sed -n 6p)" MODE
  type_keys Down
  wait_for on_line 7 lock-10
  type_keys PageDown
  wait_for on_line 7 lock-28
  type_keys End
  wait_for on_line 24 lock-49
  type_keys N
  wait_for on_line 4 'Shown: 1 to 18 of 41, by name'
  on_line 7 lock-10
  type_keys R
  wait_for on_line 7 waited
  type_keys o
  wait_for shows '^Names (a pattern'
  type_keys 'lock-4?'
  wait_for shows 'all): lock-4?_'
  type_keys Enter
  wait_for on_line 4 'Shown: 1 to 10 of 10, by name, reversed, names: lock-4?'
  on_line 7 lock-49
  on_line 17 ''
  type_keys h
  wait_for on_line 1 'Keys of dblock top'
  type_keys q
  wait_for on_line 7 lock-49
  leave_top
  on_line 3 'ready>'
  on_line 2 before
}

@test "200x50: more columns, and more locks; names of wide letters stay in their column" {
  with_locks
  dblock acquire '日本語の名前の鍵' --lease 1h --value 'what it is for'
  terminal 200 50
  start_top -d 1h -o name
  on_line 4 'Shown: 1 to 41 of 41, by name'
  [[ $(screen | sed -n 6p) =~ ^NAME\ +HELD\ +LINE\ +WAIT\ +AGE\ +LEFT\ MODE\ +BY\ +APP\ +TOKEN\ +VALUE ]]
  [[ $(screen | sed -n 47p) =~ ^日本語の名前の鍵\ lease\ .*what\ it\ is\ for$ ]]
  # Each letter takes two columns, so its line has eight characters less before HELD.
  local heads row
  heads=$(screen | sed -n 6p)
  row=$(screen | sed -n 47p)
  heads=${heads%%HELD*} row=${row%%lease*}
  equal "$((${#heads} - ${#row}))" 8
  tmux -S "$socket" resize-window -x 80 -y 24
  wait_for on_line 4 'Shown: 1 to 18 of 41, by name'
  wait_for on_line 24 lock-27
  lacks "$(screen | sed -n 6p)" MODE
  # So narrow that the long name is cut in the middle of a letter's columns.
  tmux -S "$socket" resize-window -x 30 -y 24
  type_keys End
  wait_for on_line 24 '日本語'
  equal "$(screen | wc -L | awk '{ print ($1 <= 30) }')" 1
}

@test "the screen is given back at ^C, TERM, ^Z and fg, and keys are echoed again" {
  with_locks
  terminal 80 24
  start_top
  modes "1 0"
  type_keys C-c
  wait_for modes "0 1"
  type_keys 'echo code $?' Enter
  wait_for shows '^code 130'
  # A shell has to say the whole command itself: the terminal echoes it.
  shows '^ready> echo code'
  clear_screen
  start_top
  top=$(pgrep -P "$(tmux -S "$socket" display-message -p '#{pane_pid}')")
  kill -TERM "$top"
  wait_for modes "0 1"
  type_keys 'echo code $?' Enter
  wait_for shows '^code 143'
  modes "0 1"
  clear_screen
  start_top
  modes "1 0"
  type_keys C-z
  wait_for shows Stopped
  modes "0 1"
  type_keys 'stty -a | grep -o " icanon"' Enter
  wait_for shows '^ icanon'
  type_keys fg Enter
  wait_for on_line 1 'dblock top - '
  type_keys N
  wait_for on_line 4 'Shown: 1 to 18 of 40, by name'
  # Who stops it otherwise leaves it no time for that; it draws all of it when it goes on.
  top=$(pgrep -P "$(tmux -S "$socket" display-message -p '#{pane_pid}')")
  kill -STOP "$top"
  wait_for shows Stopped
  type_keys clear Enter fg Enter
  wait_for on_line 1 'dblock top - '
  leave_top
  type_keys 'stty -a | grep -o " icanon.*echo "' Enter
  wait_for shows '^ icanon.* echo'
}

@test "looks go on by themselves, as often as is said, and now at a space" {
  with_locks
  terminal 80 24
  start_top -d 100ms
  dblock acquire fresh --lease 1h
  wait_for shows 'of 41,'
  type_keys d
  wait_for shows '^Time between two looks: _'
  type_keys 1h Enter
  wait_for shows 'every 1h,'
  dblock acquire fresher --lease 1h
  type_keys x
  wait_for shows 'h or ? says what keys do'
  shows 'of 41,'
  type_keys Space
  wait_for shows 'of 42,'
  type_keys d
  type_keys 'in a while' Enter
  wait_for shows "'in a while' is not a duration"
  leave_top
}

@test "while the database cannot be read the last look stays, with why; a key ends it at once" {
  with_locks
  terminal 80 24 # the reason stands behind the path of the file, which is longer
  start_top -d 100ms
  in_transaction "ALTER TABLE dblock_lock RENAME TO away"
  printf 'COMMIT;\n' >&"$transaction"
  wait_for shows '^No look for .*no such table'
  shows '^lock-10 '
  printf 'ALTER TABLE away RENAME TO dblock_lock;\n' >&"$transaction"
  wait_for eval '! shows "^No look"'
  shows '^lock-10 '
  leave_top
}

@test "colours on a terminal, but not with NO_COLOR, --color never, or TERM=dumb" {
  with_locks
  terminal 80 24
  colored() {
    screen -e | grep -q $'\033\[33mminimum'
  }
  type_keys 'dblock ls lock-10' Enter
  wait_for colored
  clear_screen
  start_top -d 1h lock-10
  wait_for colored
  leave_top
  for command in 'NO_COLOR=1 dblock ls lock-11' 'dblock ls --color never lock-11' 'TERM=dumb dblock ls lock-11'; do
    clear_screen
    type_keys "$command" Enter
    wait_for shows '^lock-11 '
    colored && false
  done
  clear_screen
  type_keys 'NO_COLOR=1 dblock top lock-11' Enter
  wait_for modes "1 0"
  wait_for shows '^lock-11 '
  colored && false
  leave_top
  type_keys 'TERM=dumb dblock top' Enter
  wait_for shows 'use -b'
}

@test "ls --watch on a terminal: what fits, over and over at the same place" {
  with_locks
  terminal 80 24
  type_keys 'dblock ls --watch=50ms' Enter
  wait_for shows '^NAME '
  [[ $(screen | sed -n 1p) =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}T ]]
  on_line 2 'NAME '
  on_line 3 lock-10
  on_line 23 '... '
  equal "$(screen | wc -L | awk '{ print ($1 <= 80) }')" 1
  dblock acquire a-fresh --lease 1h
  wait_for on_line 3 a-fresh
  on_line 2 'NAME '
  # Each list is written over the one before: the screen is not cleared, as that flickers.
  tmux -S "$socket" pipe-pane "cat >'$BATS_TEST_TMPDIR/written'"
  sql "DELETE FROM dblock_lock WHERE name <> 'a-fresh'"
  wait_for eval '[ -z "$(screen | sed -n 4,24p | tr -d "\n ")" ]'
  on_line 2 'NAME '
  on_line 3 a-fresh
  grep -q $'\033\[K' "$BATS_TEST_TMPDIR/written"
  grep -q $'\033\[2J' "$BATS_TEST_TMPDIR/written" && false
  type_keys C-c
  wait_for shows '^ready>\|\^Cready>'
}
