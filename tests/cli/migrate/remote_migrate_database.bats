#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate wait, create, drop on a server: rights, odd names, and one that is not there yet.

setup() {
  load database
  with_database
}

teardown() {
  without_database
}

@test "a name that has to be quoted" {
  local odd="Sh\"o\`p'; --%25"
  DBLOCK_URL=$(named "${odd//\"/%22}")
  run -0 dblock migrate create
  run -0 dblock migrate wait
  lacks "$output" "no database"
  run -0 dblock migrate drop --yes
  equal "$output" "dropped database Sh\"o\`p'; --%"
}

@test "create, drop: a right that is missing is told" {
  stranger "$name"
  run -7 dblock -u "$theirs" migrate create
  case $DBLOCK_TEST_BACKEND in
  postgresql) contains "$output" "ALTER ROLE $who CREATEDB" ;;
  mysql) contains "$output" "GRANT CREATE ON \`$name\`.* TO '$who'@'%'" ;;
  esac
  lacks "$output" s3kr3t
  dblock migrate create
  run -7 dblock -u "$theirs" migrate drop --yes
  lacks "$output" "nothing to do"
  lacks "$output" s3kr3t
  [ "$DBLOCK_TEST_BACKEND" = mysql ] || contains "$output" "ALTER DATABASE $name OWNER TO $who"
  case $DBLOCK_TEST_BACKEND in
  postgresql) sql "DROP ROLE $who" ;;
  mysql) sql "DROP USER $who@'%'" ;;
  esac
}

# nowhere: the URL of a folder or socket that is not there yet; `appear` makes it lead to the server.
nowhere() {
  local path
  case $DBLOCK_TEST_BACKEND in
  postgresql)
    path=${DBLOCK_TEST_URL#*host=}
    path=${path%%&*}
    DBLOCK_URL=${DBLOCK_TEST_URL/"$path"/"${BATS_TEST_TMPDIR//\//%2F}%2Fat"}
    ;;
  mysql)
    path=${DBLOCK_TEST_URL#*socket=}
    DBLOCK_URL=${DBLOCK_TEST_URL/"$path"/"${BATS_TEST_TMPDIR//\//%2F}%2Fat"}
    ;;
  esac
  printf -v real %b "${path//%/\\x}"
}

appear() {
  ln -s "$real" "$BATS_TEST_TMPDIR/at"
}

@test "wait ends when the database answers, and says once for what it waits" {
  nowhere
  background dblock migrate wait --wait "$(slowly 600)" 2>"$BATS_TEST_TMPDIR/said"
  wait_for grep -q "waiting for the database" "$BATS_TEST_TMPDIR/said"
  sleep 1
  alive "$started"
  appear
  ended "$started"
  equal "$code" 0
  equal "$(grep -c . "$BATS_TEST_TMPDIR/said")" 1
}

@test "wait in vain: 7, with what was last said" {
  nowhere
  local began
  began=$(now_ms)
  run -7 --separate-stderr dblock migrate wait --wait 2s
  (($(now_ms) - began >= 2000))
  equal "$(grep -c "waiting for the database, at most 2s: " <<<"$stderr")" 1
  grep -q "^error: no answer in that time: .*No such file\|^error: no answer in that time: .*(2)" <<<"$stderr"
  json=$(dblock --json -q migrate wait --wait 0 2>/dev/null) && return 1
  equal "$(field ok)-$(field error code)" false-DBLOCK_E_UNAVAILABLE
}

@test "wait ends at once with what no waiting mends" {
  run -2 dblock -u nonsense://x/y migrate wait --wait 10m
  stranger "$name"
  run -7 dblock -u "${theirs/s3kr3t/wr0ng}" migrate wait --wait 10m
  lacks "$output" waiting
  lacks "$output" wr0ng
  case $DBLOCK_TEST_BACKEND in
  postgresql) sql "DROP ROLE $who" ;;
  mysql) sql "DROP USER $who@'%'" ;;
  esac
}

@test "a database that is not there: up says how to make it" {
  mkdir "$BATS_TEST_TMPDIR/m"
  echo 'CREATE TABLE a (b INT);' >"$BATS_TEST_TMPDIR/m/1_a.up.sql"
  run -7 dblock migrate up --dir "$BATS_TEST_TMPDIR/m"
  contains "$output" "'dblock migrate create --dir $BATS_TEST_TMPDIR/m'"
  run -7 dblock schema up
  contains "$output" "'dblock migrate create'"
}
