#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The words that a person reads when it goes wrong, and a program with --json: the place, the
# statement, what stands, and the next command.

setup() {
  load migrate
  with_dir
  files="--dir $dir --prefix $prefix"
}

teardown() {
  end_background
}

# failing CODE COMMAND...: keeps what it said in $stderr, and as JSON in $json. Each message must
# name the next step, with a command about these very files. (The object is that of a second call:
# so it must fail twice.)
failing() {
  local code=$1
  shift
  run "-$code" --separate-stderr migrate "$@"
  local said=$stderr
  [[ $said == "error: "* ]] || fail_with "$said"
  [[ ${said##*$'\n'next:  } == *"'dblock migrate "*" $files'"* ]] || fail_with "$said"
  run "-$code" --separate-stderr dblock --prefix "$prefix" --json migrate "$@" --dir "$dir"
  json=$output
  equal "$(field ok)" false
  contains "$(field error hint)" " $files'"
  stderr=$said
}

fail_with() {
  echo "$1" >&2
  return 1
}

# error KEY...: prints these values of the object's error, in one line.
error() {
  local key text=
  for key in "$@"; do
    text+="${text:+ }$(field error "$key")"
  done
  echo "$text"
}

@test "refused in a transaction: where, the statement, that nothing was kept, and the next command" {
  up 0001_table "CREATE TABLE ${t}_a (i INTEGER);"
  up 0002_rows "INSERT INTO ${t}_a VALUES (1);

  INSERT INTO ${t}_nowhere
    VALUES (1, '$(printf 'x%.0s' {1..300})');"
  migrate up --to 1
  failing 1 up --to 2
  local lines
  mapfile -t lines <<<"$stderr"
  equal "${#lines[@]}" 4
  [[ ${lines[0]} =~ ^"error: $dir/0002_rows.up.sql:3:"[0-9]+": statement 2 of 2: ".*${t}_nowhere ]]
  case $DBLOCK_TEST_BACKEND in
  postgresql) contains "${lines[0]}" ": 42P01 " ;;
  mysql)
    contains "${lines[0]}" ": 42S02 (1146) "
    lacks "${lines[0]}" "(error 1146)"
    ;;
  esac
  equal "${lines[1]}" "  $(printf 'INSERT INTO %s_nowhere     VALUES (1, '\''%s' "$t" "$(printf 'x%.0s' {1..300})" | cut -c1-200)..."
  equal "${lines[2]}" "state: nothing of this file was kept: it is one transaction, and was rolled back"
  equal "${lines[3]}" "next:  correct the file, then run 'dblock migrate up --to 2 $files'"
  equal "$(error code version step steps line rolled_back)" "DBLOCK_E_MIGRATION 2 2 2 3 true"
  equal "$(error file)" "$dir/0002_rows.up.sql"
  equal "  $(error statement)" "${lines[1]}"
  equal "$(error hint)" "${lines[3]#next:  }"
  equal "error: $(error message)" "${lines[0]}"
  equal "$(field role) $(field waited_ms) $(field from) $(field to)" "runner 0 1 1"
}

@test "refused step by step: what stands, and both ways on" {
  [ "$DBLOCK_TEST_BACKEND" != sqlite ] || return 0 # one transaction, always
  two_steps 0001_two "CREATE TABLE ${t}_a (i INTEGER)" "CREATE TABLE ${t}_a (i INTEGER)"
  failing 1 up
  local lines line=2
  [ "$DBLOCK_TEST_BACKEND" = mysql ] || line=3
  mapfile -t lines <<<"$stderr"
  [[ ${lines[0]} == "error: $dir/0001_two.up.sql:$line:1: statement 2 of 2: 42"* ]]
  equal "${lines[1]}" "  CREATE TABLE ${t}_a (i INTEGER)"
  equal "${lines[2]}" "state: statement 1 stands, as it cannot be rolled back; statement 2 had no effect"
  equal "${lines[3]}" "next:  edit the file from line $line on, then run 'dblock migrate up $files' (it goes on at statement 2)"
  equal "${lines[4]}" "       or undo statement 1 by hand, then run 'dblock migrate repair 1 --forget $files'"
  equal "${#lines[@]}" 5
  equal "$(error code rolled_back step steps)" "DBLOCK_E_MIGRATION false 2 2"
  equal "$(field migrations 0 state) $(field migrations 0 step_done)" "failed 1"
  equal "$(field migrations 0 error)" "$(error message)"
  contains "$(error hint)" "(it goes on at statement 2) or undo"
  # The file is now shorter than what was done: exit 5, and all ways out of that.
  echo >"$dir/0001_two.up.sql"
  failing 5 up
  contains "$stderr" "the file has only 0 now"
  contains "$stderr" "repair 1 --applied $files"
  equal "$(error code step)" "DBLOCK_E_REPAIR null"
}

@test "in doubt: which statement, and both verdicts" {
  [ "$DBLOCK_TEST_BACKEND" != sqlite ] || return 0 # nothing can be
  two_steps 0001_two "CREATE TABLE ${t}_a (i INTEGER)" "CREATE TABLE ${t}_a (i INTEGER)"
  run -1 migrate up
  sql "UPDATE ${prefix}migration SET state = 'running'"
  failing 5 up
  contains "$stderr" ":1: statement 2 of 2: in doubt: it was sent by "
  contains "$stderr" "
  CREATE TABLE ${t}_a (i INTEGER)
state: statement 1 stands; of statement 2 nobody knows
next:  look in the database whether it took effect, then run 'dblock migrate repair 1 --done $files' or 'dblock migrate repair 1 --not-done $files'
       and then 'dblock migrate up $files'"
  equal "$(error code step steps statement)" "DBLOCK_E_REPAIR 2 2 CREATE TABLE ${t}_a (i INTEGER)"
  failing 5 down
  contains "$stderr" "repair 1 --forget"
  failing 5 plan
  failing 5 verify
  equal "$(field problems 0 code)" "in doubt"
  failing 2 repair 1 --rechecksum --yes
  equal "$(error code)" DBLOCK_STALE
}

@test "files that are not sound: each command says what to do" {
  up 0001_open "
  SELECT 'open"
  local command
  for command in up "down" verify plan "repair 1 --forget --yes" "verify --files-only"; do
    # shellcheck disable=SC2086
    failing 2 $command
    contains "$stderr" "0001_open.up.sql:2:10: this ' is never closed"
  done
  run -0 --separate-stderr migrate status
  contains "$stderr" "0001_open.up.sql:2:10: this ' is never closed"
  failing 2 up --to 1
  contains "$stderr" "next:  correct that, then run 'dblock migrate up --to 1 $files'"
  equal "$(error code line column version statement)" "DBLOCK_E_INVALID 2 10 null null"
  equal "$(field role)" null
  up 0001_open "SELECT 1"
  up 1_twice "SELECT 1"
  failing 2 up
  rm "$dir/1_twice.up.sql"
  up 0001-bad "SELECT 1"
  failing 2 up
  rm "$dir"/*
  failing 2 up
  contains "$stderr" "there is no migration for $DBLOCK_TEST_BACKEND here"
  rmdir "$dir"
  failing 2 up
}

@test "numbers that are not there, and verdicts that do not fit" {
  three
  failing 2 up --to 9
  failing 2 plan --to 9
  failing 2 to 9
  failing 2 baseline 9 --yes
  failing 2 repair 9 --forget --yes
  migrate up
  failing 2 down --to 9
  failing 2 repair 1 --done --yes
  contains "$stderr" "does not fit"
  lacks "$stderr" "now: "
  failing 2 to 1
  contains "$stderr" "'dblock migrate to 1 --allow-down $files'"
  failing 4 baseline 1 --yes
  run -2 --separate-stderr migrate down --all </dev/null
  contains "$stderr" "
state: nothing was done
next:  run the same command with --yes"
}

@test "drift: what, both digests, and the next command" {
  three
  rm "$dir"/0002_* "$dir/0003_names.down.sql"
  migrate up
  failing 4 down
  contains "$stderr" "next:  write one, or undo it by hand and run 'dblock migrate repair 3 --forget $files'"
  up 0002_late "SELECT 1;"
  failing 4 up -n 1
  contains "$stderr" "next:  give them numbers above that, or accept it: 'dblock migrate up -n 1 --allow-out-of-order $files'"
  failing 4 plan
  rm "$dir"/0002_*
  up 0001_customer "CREATE TABLE ${t}_customer (id INTEGER);"
  failing 4 up
  [[ $stderr == *"0001_customer (was "[0-9a-f]*", is "[0-9a-f]*")"* ]]
  contains "$stderr" "'dblock migrate repair 1 --rechecksum $files'"
  equal "$(error code)" DBLOCK_E_DRIFT
  failing 4 verify
  contains "$stderr" "'dblock migrate repair 1 --rechecksum $files'"
  rm "$dir"/0001_*
  failing 4 up
  contains "$stderr" "'dblock migrate up --allow-missing $files'"
}

@test "a database that is out of reach" {
  three
  # Nobody listens on port 1, and that folder does not exist.
  case $DBLOCK_TEST_BACKEND in
  sqlite) export DBLOCK_URL="sqlite:$BATS_TEST_TMPDIR/nowhere/x" ;;
  *) export DBLOCK_URL=$DBLOCK_TEST_BACKEND://127.0.0.1:1/x ;;
  esac
  local command code=7
  [ "$DBLOCK_TEST_BACKEND" != sqlite ] || code=2
  for command in up "down" "to 1" status verify plan "baseline 1 --yes" "repair 1 --forget --yes"; do
    # shellcheck disable=SC2086
    failing $code $command
  done
  equal "$(field migrations '#') $(field from) $(field to)" "0 null null"
}

@test "somebody else is at it" {
  three
  migrate up --to 2
  occupy ${t}_customer
  if [ "$DBLOCK_TEST_BACKEND" = sqlite ]; then
    failing 6 up --wait 0
    equal "$(error code) $(field role)" "DBLOCK_BUSY waiter"
    contains "$stderr" "--wait 10m $files'"
  else
    # The table is in use: the statement is tried five times, and not for ever.
    failing 1 up --lock-timeout 1s
    contains "$stderr" "(tried 5 times)"
    contains "$stderr" "nothing of this file was kept"
  fi
  vacate
}

@test "new and embed" {
  failing 2 new 'a b'
  files="--dir $dir"
  run -2 --separate-stderr dblock migrate embed "$dir/nowhere" -o "$BATS_TEST_TMPDIR/x.c"
  [[ $stderr == "error: "*"
next:  "*"'dblock migrate embed -o FILE.c --dir $dir/nowhere'" ]]
  up 0001_a "SELECT 'open"
  run -2 --separate-stderr dblock migrate embed "$dir" --dialect sqlite -o "$BATS_TEST_TMPDIR/x.c"
  contains "$stderr" "'dblock migrate verify --files-only --dir $dir'"
}

@test "a folder with blanks and signs in its name: the command can be pasted" {
  dir="$BATS_TEST_TMPDIR/it is \$HOME \"x\""
  mkdir "$dir"
  up 0001_a "SELECT 'open"
  run -2 --separate-stderr migrate up
  [[ $stderr =~ \'(dblock migrate up.*)\' ]]
  echo "SELECT 1;" >"$dir/0001_a.up.sql"
  run -0 bash -c "${BASH_REMATCH[1]}"
  contains "$output" "applied 0001_a"
}
