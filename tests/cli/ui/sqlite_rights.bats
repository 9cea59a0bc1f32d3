#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The user may not write this file, or not in its folder: one line names the file and what is
# missing, and nothing is changed. Root may do all, so user nobody tries.

setup() {
  load ../kit
  T=$(mktemp -d)
  chmod 755 "$T"
  url=sqlite:$T/a.db
  # The program is copied to where anybody can run it.
  bin=$(mktemp -d)
  cp "$(command -v dblock)" "$(ldd "$(command -v dblock)" | sed -n 's/.*libdblock[^ ]* => \([^ ]*\).*/\1/p')" "$bin"
  chmod -R a+rX "$bin"
  dblock -u "$url" -q run x -- true
  before=$(sqlite3 "$T/a.db" .dump)
}

teardown() {
  chmod -R u+rwx "$T"
  rm -rf "$T" "$bin"
}

as_user() {
  if [ "$(id -u)" = 0 ]; then
    setpriv --reuid=65534 --regid=65534 --clear-groups \
      env LD_LIBRARY_PATH="$bin" PATH="$bin:$PATH" "$@"
  else
    "$@"
  fi
}

# refused CODE CODE_OF_SCHEMA TEXT: each command says so in one line, with the file's name.
refused() {
  local command
  for command in ls "show x" "run -n x -- touch $T/ran" "run x -w 1s -- touch $T/ran" "acquire x --lease 1m" reap \
    "break x" "request x" "leader x" graph; do
    run "-$1" --separate-stderr as_user dblock -u "$url" $command
    equal "$output" ""
    equal "$(wc -l <<<"$stderr")" 1
    equal "$stderr" "dblock: ${command%% *}: $T/a.db: $3"
  done
  run "-$2" --separate-stderr as_user dblock -u "$url" schema up
  equal "${stderr_lines[0]}" "error: $T/a.db: $3"
  lacks "$stderr" standby
  run -2 --separate-stderr as_user dblock -u "$url" doctor
  equal "$stderr" "dblock: doctor: $T/a.db: $3"
  [ ! -e "$T/ran" ]
  chmod -R u+rwx "$T"
  equal "$(sqlite3 "$T/a.db" .dump)" "$before"
}

@test "a file that may be read only: 74" {
  chmod 444 "$T/a.db"
  chmod 555 "$T"
  refused 74 7 "the file is read-only for this user; make it writable"
}

@test "a file that may be read only, in a folder that may be written: 74" {
  [ "$(id -u)" != 0 ] || chmod 777 "$T"
  chmod 444 "$T/a.db"
  refused 74 7 "the file is read-only for this user; make it writable"
}

@test "a folder that may not be written: 74, for SQLite has files of its own there" {
  chmod 666 "$T/a.db"
  chmod 555 "$T"
  refused 74 7 "the folder $T cannot be written, and SQLite keeps files beside the database; make it writable"
}

@test "a file that may not even be read: 77" {
  chmod 000 "$T/a.db"
  refused 77 7 "permission denied; run as a user who may read and write it"
}

@test "a folder that may not be entered: 77" {
  chmod 000 "$T"
  refused 77 7 "permission denied for the folder $T; run as a user who may use it"
}

@test "no file, and a folder that may not be written: 74, and none is made" {
  rm "$T"/a.db*
  chmod 555 "$T"
  run -74 --separate-stderr as_user dblock -u "$url" run x -- true
  equal "$stderr" "dblock: run: $T/a.db: the folder $T cannot be written, and SQLite keeps files beside the database; make it writable"
  [ ! -e "$T/a.db" ]
}
