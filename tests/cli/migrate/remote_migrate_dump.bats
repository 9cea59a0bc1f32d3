#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate dump and the server's program for it: one that is missing, older, or fails; and what it is
# told.

setup() {
  load database
  with_database
  dir=$BATS_TEST_TMPDIR/migrations
  dump=$BATS_TEST_TMPDIR/schema.sql
  bin=$BATS_TEST_TMPDIR/bin
  t=x
  prefix=dblock_
  mkdir "$dir" "$bin"
  three
  dblock -q migrate create
  case $DBLOCK_TEST_BACKEND in
  postgresql) program=pg_dump ;;
  mysql) program=mysqldump ;;
  esac
  real=$(command -v dblock)
  PATH=$bin:$PATH
}

teardown() {
  without_database
}

# with_program TEXT: a program of that name, a script, which comes first.
with_program() {
  printf '#!/bin/sh\n%s\n' "$1" >"$bin/$program"
  chmod +x "$bin/$program"
}

@test "a program that is missing: nothing is done, and the package is named" {
  PATH=$bin run -2 "$real" migrate up --dump "$dump" --dir "$dir"
  contains "$output" "$program is not there"
  contains "$output" "install the package"
  run -0 migrate up
  contains "$output" "applied 0001_customer"
  PATH=$bin run -2 "$real" migrate dump "$dump" --dir "$dir"
  contains "$output" "install the package"
}

@test "a program that fails: what is applied stays, the file is as it was" {
  echo old >"$dump"
  with_program '[ "$1" = --version ] && exit 0; echo "warning: hm" >&2; echo "dump: error: no way" >&2; echo half; exit 3'
  run -1 --separate-stderr migrate up --dump "$dump"
  contains "$output" "applied 0003_names"
  contains "$stderr" "error: $program has failed: dump: error: no way"
  contains "$stderr" "state: the file is as it was"
  equal "$(cat "$dump")" old
  run -1 migrate verify --dump "$dump"
  json=$(migrate dump --json "$dump" 2>/dev/null) && return 1
  equal "$(field ok)-$(field error code)-$(field error version)" false-DBLOCK_E_MIGRATION-null
}

@test "pg_dump older than the server" {
  [ "$DBLOCK_TEST_BACKEND" = postgresql ] || return 0
  with_program '[ "$1" = --version ] && exit 0
echo "pg_dump: error: aborting because of server version mismatch" >&2
echo "pg_dump: detail: server version: 18.1 (Debian 18.1-1); pg_dump version: 15.3 (Debian 15.3-1)" >&2; exit 1'
  run -1 migrate dump "$dump"
  contains "$output" "pg_dump 15.3 (Debian 15.3-1) is older than the server, which is 18.1 (Debian 18.1-1)"
  contains "$output" "install postgresql-client-18"
}

@test "the password is in the program's environment, and on nobody's command line" {
  local who=u${$}_$BATS_TEST_NUMBER theirs
  with_program '[ "$1" = --version ] && exit 0; { echo "$*"; env; } >"'"$BATS_TEST_TMPDIR/told"'"; echo "-- dumped"'
  case $DBLOCK_TEST_BACKEND in
  postgresql)
    sql "CREATE ROLE $who LOGIN SUPERUSER PASSWORD 's3%kr@t'"
    theirs=$(named "$name" "${DBLOCK_TEST_TCP_URL/postgres@/$who:s3%25kr%40t@}")
    ;;
  mysql)
    sql "CREATE USER $who@'%' IDENTIFIED BY 's3%kr@t'; GRANT ALL ON *.* TO $who@'%'"
    theirs=$(named "$name" "$(sed -E "s#//[^@]*@#//$who:s3%25kr%40t@#" <<<"$DBLOCK_TEST_TCP_URL")")
    ;;
  esac
  DBLOCK_URL=$theirs run -0 migrate up --dump "$dump"
  lacks "$output" 's3'
  run ! grep -F 's3%' <(head -1 "$BATS_TEST_TMPDIR/told")
  contains "$(head -1 "$BATS_TEST_TMPDIR/told")" "$who"
  grep -qxE "(PGPASSWORD|MYSQL_PWD)=s3%kr@t" "$BATS_TEST_TMPDIR/told"
  # With the real one it works.
  rm "$bin/$program"
  needs_pg_dump
  DBLOCK_URL=$theirs run -0 migrate dump "$dump"
  grep -q x_customer "$dump"
  [ "$DBLOCK_TEST_BACKEND" = mysql ] || DBLOCK_URL=$(sed -E 's#//([^:]*):[^@]*@([^?]*)#//\1@\2?password=s3%25kr%40t#' <<<"$theirs") \
    run -0 migrate verify --dump "$dump"
  dblock -q migrate drop --yes
  case $DBLOCK_TEST_BACKEND in
  postgresql) sql "DROP ROLE $who" ;;
  mysql) sql "DROP USER $who@'%'" ;;
  esac
}
