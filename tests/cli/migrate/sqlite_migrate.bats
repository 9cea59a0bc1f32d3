#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate on files, and on a terminal. (For the terminal the database does not matter.)

setup() {
  load migrate
  with_dir
}

teardown() {
  end_background
}

@test "7: a file that is no database" {
  three
  echo "this is no database, but a text that is long enough to be one" >"$BATS_TEST_TMPDIR/text"
  run -7 --separate-stderr dblock --prefix "$prefix" -u "sqlite:$BATS_TEST_TMPDIR/text" migrate up --dir "$dir"
}

start_first() {
  exec dblock -q --json --prefix "$prefix" -u "sqlite:$BATS_TEST_TMPDIR/first.db" migrate up --dir "$dir" \
    >"$BATS_TEST_TMPDIR/said.$1" 2>&1
}

# Each of them makes the file if it is the first, and switches it to WAL, for which SQLite does not
# wait by itself.
@test "eight at once on a file that is not there yet, and is switched to WAL: each once, all exit 0 (case 18)" {
  local i applied=0 pids=()
  three
  for i in {1..8}; do
    background start_first "$i"
    pids+=("$started")
  done
  # Another program switches it, behind their backs.
  wait_for sqlite3 -batch -cmd '.timeout 20000' "$BATS_TEST_TMPDIR/first.db" 'PRAGMA journal_mode = WAL' >/dev/null
  for i in {1..8}; do
    ended "${pids[i - 1]}"
    json=$(<"$BATS_TEST_TMPDIR/said.$i")
    equal "$code:$json" "0:$json"
    applied=$((applied + $(field migrations '#')))
  done
  equal "$applied" 3
  equal "$(sqlite3 "$BATS_TEST_TMPDIR/first.db" 'PRAGMA journal_mode; SELECT count(*) FROM '"${t}_customer")" $'wal\n2'
}

# Root may write everything, so another user has to try.
as_nobody() {
  if [ "$(id -u)" != 0 ]; then
    "$@"
    return
  fi
  mkdir -p "$BATS_TEST_TMPDIR/bin"
  cp "$(command -v dblock)" \
    "$(ldd "$(command -v dblock)" | sed -n 's/.*libdblock[^ ]* => \([^ ]*\).*/\1/p')" "$BATS_TEST_TMPDIR/bin/"
  chmod -R a+rX "$BATS_TEST_TMPDIR" "$DBLOCK_TEST_TMP"
  chmod a+rx "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_SUITE_TMPDIR" "$BATS_RUN_TMPDIR/test"
  setpriv --reuid=65534 --regid=65534 --clear-groups \
    env LD_LIBRARY_PATH="$BATS_TEST_TMPDIR/bin" PATH="$BATS_TEST_TMPDIR/bin:$PATH" "$@"
}

@test "7: a folder in which nothing can be made, a file that can only be read; nothing is left behind (case 18)" {
  local folder=$BATS_TEST_TMPDIR/closed
  three
  mkdir "$folder"
  chmod 555 "$folder"
  run -7 --separate-stderr as_nobody dblock -u "sqlite:$folder/new.db" migrate up --dir "$dir"
  contains "$stderr" "$folder/new.db"
  equal "$output" ""
  [ ! -e "$folder/new.db" ]
  chmod 755 "$folder"
  dblock -u "sqlite:$folder/there.db" migrate up --to 1 --dir "$dir"
  sqlite3 "$folder/there.db" 'PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE' >/dev/null
  chmod 444 "$folder/there.db"
  chmod 555 "$folder"
  run -7 --separate-stderr as_nobody dblock -u "sqlite:$folder/there.db" migrate up --dir "$dir"
  contains "$stderr" "$folder/there.db"
  equal "$(sqlite3 "$folder/there.db" .tables | tr -s ' ' '\n' | sort | tr '\n' ' ')" "dblock_migration ${t}_customer "
  chmod 755 "$folder"
}

# on_terminal INPUT COMMAND...: runs it with INPUT typed; its output is $screen, its exit code
# $code.
on_terminal() {
  local input=$1
  shift
  code=0
  screen=$(printf '%s' "$input" | timeout "$(slowly 60)" script -qec "$(printf '%q ' "$@")" /dev/null 3>&-) || code=$?
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
  contains "$screen" $'\r\e[K0003_names: statement 1 of 2\r\e[K'
  lacks "$screen" "0001_customer: statement"
  migrate down
  on_terminal '' dblock --prefix "$prefix" -q migrate up --dir "$dir"
  lacks "$screen" "statement 1 of 2"
  migrate down
  run -0 migrate up
  lacks "$output" "statement 1 of 2"
}
