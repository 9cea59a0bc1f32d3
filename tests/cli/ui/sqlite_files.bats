#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Faults of a file.

setup() {
  load ../kit
  cd "$BATS_TEST_TMPDIR"
}

# io_error URL TEXT: exit code 74, TEXT in the message, and the command does not run.
io_error() {
  run -74 --separate-stderr dblock -u "$1" run x -- touch ran
  contains "$stderr" "dblock: run: "
  contains "$stderr" "$2"
  [ ! -e ran ]
}

@test "a new file is migrated by itself, relative or absolute, also with odd characters" {
  run -0 dblock -u sqlite:new.db run x -- echo yes
  equal "$output" yes
  [ -s new.db ]
  run -0 dblock -u "sqlite://$PWD/absolute.db" run x -- echo yes
  [ -s absolute.db ]
  run -0 dblock -u "sqlite:with%20blank%3f.db" run x -- echo yes
  [ -s "with blank?.db" ]
}

@test "who only looks makes no file, and no tables in one" {
  local command
  for command in ls "show x" "explain x" events metrics "ls --waiters" "leader x" graph; do
    # shellcheck disable=SC2086
    run -78 --separate-stderr dblock -u sqlite:typo.db $command
    contains "$stderr" "typo.db: there is no such file"
    contains "$stderr" "dblock schema up"
    [ ! -e typo.db ]
  done
  : >empty.db
  run -78 --separate-stderr dblock -u sqlite:empty.db ls
  contains "$stderr" "dblock schema up"
  [ ! -s empty.db ]
  # Another program's file keeps its journal.
  sqlite3 theirs.db 'CREATE TABLE t (x)'
  cp theirs.db before.db
  run -78 dblock -u sqlite:theirs.db ls
  cmp theirs.db before.db
  [ ! -e theirs.db-wal ]
  # Tables of ours in such a file are read as they are.
  dblock -u sqlite:ours.db run x -- true
  sqlite3 ours.db 'PRAGMA journal_mode = DELETE' >/dev/null
  cp ours.db before.db
  run -0 --separate-stderr dblock -u sqlite:ours.db show x
  contains "$output" "held:"
  cmp ours.db before.db
  # Who asks for the tables gets them.
  run -0 dblock -u sqlite:made.db ls --auto-migrate
  [ -s made.db ]
}

@test "a directory" {
  mkdir folder
  run -64 --separate-stderr dblock -u sqlite:folder run x -- touch ran
  contains "$stderr" "folder"
  [ ! -e ran ]
}

@test "a file that is no database" {
  seq 10000 >numbers
  io_error sqlite:numbers numbers
  seq 10000 | cmp - numbers
}

@test "a folder that is not there" {
  run -64 --separate-stderr dblock -u sqlite:no/such/file.db run x -- touch ran
  contains "$stderr" "no/such"
  [ ! -e ran ]
}

@test "a folder of our own that is gone: no file is guessed" {
  mkdir left
  cd left
  rmdir "$PWD"
  run -64 --separate-stderr dblock -u sqlite:file.db run x -- touch "$BATS_TEST_TMPDIR/ran"
  cd "$BATS_TEST_TMPDIR"
  contains "$stderr" "the current folder cannot be told"
  [ ! -e ran ]
}

@test "somebody else's database does not get our tables unasked" {
  sqlite3 theirs.db 'CREATE TABLE t (x)'
  run -78 --separate-stderr dblock -u sqlite:theirs.db run x -- touch ran
  contains "$stderr" "dblock schema up"
  [ ! -e ran ]
  equal "$(sqlite3 theirs.db .tables)" t
  run -0 dblock -u sqlite:theirs.db --auto-migrate run x -- echo yes
}

@test "a table of another shape under our name" {
  sqlite3 shape.db 'CREATE TABLE dblock_lock (x)'
  run -78 --separate-stderr dblock -u sqlite:shape.db --auto-migrate run x -- touch ran
  contains "$stderr" "dblock_lock"
  [ ! -e ran ]
  run -1 dblock -u sqlite:shape.db schema up
}

# Root may write everything, so another user has to try.
@test "a file that can only be read" {
  dblock -u sqlite:read.db run x -- true
  sqlite3 read.db 'PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE' >/dev/null
  chmod a-w read.db
  if [ "$(id -u)" = 0 ]; then
    mkdir bin
    cp "$(command -v dblock)" "$(ldd "$(command -v dblock)" | sed -n 's/.*libdblock[^ ]* => \([^ ]*\).*/\1/p')" bin/
    chmod -R a+rX . .. "$DBLOCK_TEST_TMP"
    chmod a+rx "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_SUITE_TMPDIR" "$BATS_TEST_TMPDIR" .
    run -74 --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups \
      env LD_LIBRARY_PATH="$PWD/bin" bin/dblock -u "sqlite://$PWD/read.db" run x -- true
  else
    run -74 --separate-stderr dblock -u sqlite:read.db run x -- true
  fi
  contains "$stderr" "read.db"
}
