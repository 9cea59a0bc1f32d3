#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate on files, and on a terminal. (For the terminal the database does not matter.)

setup() {
  load migrate
  with_dir
}

@test "7: a file that is no database" {
  three
  echo "this is no database, but a text that is long enough to be one" >"$BATS_TEST_TMPDIR/text"
  run -7 --separate-stderr dblock --prefix "$prefix" -u "sqlite:$BATS_TEST_TMPDIR/text" migrate up --dir "$dir"
}

# on_terminal INPUT COMMAND...: with INPUT typed; its output is $screen, its exit code $code.
on_terminal() {
  local input=$1
  shift
  code=0
  screen=$(printf '%s' "$input" | timeout 60 script -qec "$(printf '%q ' "$@")" /dev/null 3>&-) || code=$?
}

@test "a terminal is asked, and hears no for everything but y" {
  three
  migrate up
  on_terminal $'n\n' dblock --prefix "$prefix" migrate down --all --dir "$dir"
  equal "$code" 2
  contains "$screen" "[y/N]"
  equal "$(states)" "1 applied, 2 applied, 3 applied"
  on_terminal $'\n' dblock --prefix "$prefix" migrate repair 3 --forget --dir "$dir"
  equal "$code" 2
  on_terminal $'y\n' dblock --prefix "$prefix" migrate repair 3 --forget --dir "$dir"
  equal "$code" 0
  contains "$screen" "then: 0003_names: pending"
  equal "$(states)" "1 applied, 2 applied, 3 pending"
  on_terminal $'yes\n' dblock --prefix "$prefix" migrate down --all --dir "$dir"
  equal "$code" 0
  equal "$(states)" "1 pending, 2 pending, 3 pending"
}

@test "a terminal sees how far it is, and not afterwards; -q sees nothing, nor does a pipe" {
  three
  on_terminal '' dblock --prefix "$prefix" migrate up --dir "$dir"
  equal "$code" 0
  contains "$screen" $'\r\e[K0003_names: statement 2 of 2\r\e[K'
  lacks "$screen" "0001_customer: statement"
  migrate down
  on_terminal '' dblock --prefix "$prefix" -q migrate up --dir "$dir"
  lacks "$screen" "statement 2 of 2"
  migrate down
  run -0 migrate up
  lacks "$output" "statement 2 of 2"
}
