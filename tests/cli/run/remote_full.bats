#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The server allows this user fewer connections than are wanted. (Other users connect beside it.)

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
  T=$BATS_TEST_TMPDIR
  user=few_$$_$BATS_TEST_NUMBER
  case $DBLOCK_TEST_BACKEND in
  postgresql)
    sql "CREATE ROLE $user LOGIN PASSWORD 'few' CONNECTION LIMIT 2"
    sql "GRANT ALL ON ALL TABLES IN SCHEMA public TO $user"
    ;;
  mysql)
    sql "CREATE USER $user@'%' IDENTIFIED BY 'few' WITH MAX_USER_CONNECTIONS 2"
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

# Prints the number of connections in the server's own list.
connections() {
  case $DBLOCK_TEST_BACKEND in
  postgresql) sql "SELECT count(*) FROM pg_stat_activity WHERE usename = '$user'" ;;
  mysql) sql "SELECT count(*) FROM information_schema.processlist WHERE user = '$user'" ;;
  esac
}

has_connections() {
  [ "$(connections)" = "$1" ]
}

in_line() {
  [ "$(sql "SELECT count(*) FROM dblock_queue WHERE name = '$1' AND token IS NULL")" = "$2" ]
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
  # Each process says so once.
  for ((i = 0; i < 10; i++)); do
    (($(grep -c "goes on trying" "$T/err.$i") <= 1))
  done
}

@test "-n does not wait for a connection, -w not beyond its time; the message says what is short" {
  # A holder has one connection, and so has a waiter.
  background dblock -u "$url" run full -- sh -c 'echo $$ >"$1"; exec sleep 1000' - "$T/up"
  wait_for test -s "$T/up"
  ends_with_test "$(cat "$T/up")"
  background dblock -u "$url" run full -- true
  wait_for in_line full 1
  wait_for has_connections 2
  run -69 --separate-stderr dblock -u "$url" run -n other -- true
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

@test "one that holds has one connection, and one that waits; with --park a holder has none" {
  hold_as_user() {
    rm -f "$T/up"
    background dblock -u "$url" run "$@" -- sh -c 'echo $$ >"$1"; exec sleep 1000' - "$T/up"
    wait_for test -s "$T/up"
    ends_with_test "$(cat "$T/up")"
  }
  hold_as_user counted
  wait_for has_connections 1
  local holder=$started
  kill -TERM "$holder"
  ended "$holder"
  wait_for has_connections 0
  dblock -q acquire waited --lease 1h
  background dblock -u "$url" run waited -- true
  local waiter=$started
  wait_for in_line waited 1
  # Further looks while it waits need no more, and neither does a heartbeat.
  local looks
  for looks in 1 2 3 4 5 6 7 8 9 10; do
    has_connections 1
  done
  dblock break waited
  ended "$waiter"
  equal "$code" 0
  hold_as_user --park --ttl "$(slowly 3)" counted
  holder=$started
  wait_for has_connections 0
  run -75 dblock run -n counted -- true
  sleep 4
  # Three heartbeats later it holds the lock still.
  run -75 dblock run -n counted -- true
  kill -TERM "$holder"
  ended "$holder"
  run -0 dblock run -n counted -- true
}
