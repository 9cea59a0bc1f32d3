#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The server has fewer connections for us than would come. (For one user: others use it beside us.)

setup_file() {
  load kit
  with_tables
}

setup() {
  load kit
  T=$BATS_TEST_TMPDIR
  user=few_$$_$BATS_TEST_NUMBER
  case $DBLOCK_TEST_BACKEND in
  postgresql)
    sql "CREATE ROLE $user LOGIN PASSWORD 'few' CONNECTION LIMIT 4"
    sql "GRANT ALL ON ALL TABLES IN SCHEMA public TO $user"
    ;;
  mysql)
    sql "CREATE USER $user@'%' IDENTIFIED BY 'few' WITH MAX_USER_CONNECTIONS 4"
    sql "GRANT ALL ON *.* TO $user@'%'"
    ;;
  esac
  url=$(sed -E "s#//[^@]*@#//$user:few@#" <<<"$DBLOCK_TEST_TCP_URL")
}

teardown() {
  end_background
  case $DBLOCK_TEST_BACKEND in
  postgresql) sql "DROP OWNED BY $user" && sql "DROP ROLE $user" ;;
  mysql) sql "DROP USER $user@'%'" ;;
  esac
}

@test "ten of which two can be connected: all run, one after the other, and those that had to try say so" {
  local i pids=()
  for ((i = 0; i < 10; i++)); do
    background dblock -u "$url" run few -- sh -c 'echo in >>"$1"; sleep 0.2; echo out >>"$1"' - "$T/log" \
      2>"$T/err.$i"
    pids+=("$started")
  done
  for i in "${pids[@]}"; do
    ended "$i"
    equal "$code" 0
  done
  cat "$T"/err.*
  equal "$(uniq -c "$T/log" | sort -u | tr -s ' ' | tr -d '\n')" " 1 in 1 out"
  equal "$(grep -c in "$T/log")" 10
  grep -q "; goes on trying" "$T"/err.*
  # Once each.
  for ((i = 0; i < 10; i++)); do
    (($(grep -c "goes on trying" "$T/err.$i") <= 1))
  done
}

@test "-n does not wait for a connection, -w not beyond its time; the message says what is short" {
  # One that waits has three.
  background dblock -u "$url" run held -- sh -c 'echo $$ >"$1"; exec sleep 100' - "$T/up"
  wait_for test -s "$T/up"
  cat "$T/up" >>"$T/pids"
  background dblock -u "$url" run held -- true
  # The second one's connections come and go.
  finds_none() {
    run --separate-stderr dblock -u "$url" run -n other -- true
    [ "$status" = 69 ]
  }
  wait_for finds_none
  lacks "$stderr" "goes on trying"
  case $DBLOCK_TEST_BACKEND in
  postgresql) contains "$stderr" "too many connections for role" ;;
  mysql)
    contains "$stderr" "see max_user_connections"
    lacks "$stderr" "is the server running"
    ;;
  esac
  local before
  before=$(now_ms)
  run -69 --separate-stderr dblock -u "$url" run -w 1s other -- true
  contains "$stderr" "goes on trying"
  (($(now_ms) - before >= 1000))
  run -69 dblock -u "$url" acquire -w 300ms other --lease 1m
}
