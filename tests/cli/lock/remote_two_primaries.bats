#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A URL names two servers that can both be written: the tests' own, A, and B, which is a copy of it, as
# after the promotion of a standby whose former primary was not kept away. Each test has tables of its
# own, by their prefix; who finds none of them at B finds no rival there.

setup_file() {
  load ../kit
  export server=$DBLOCK_TEST_TMP/server script=$DBLOCK_SOURCE_DIR/tests/servers/$DBLOCK_TEST_DATABASE
  export a=$DBLOCK_TEST_TCP_URL name=${DBLOCK_TEST_TCP_URL##*/}
  "$script" start "$server" 3>&- 4>&-
  at_b_server "CREATE DATABASE $name"
  b=${a%%@*}@$(cat "$server/tcp")/$name
  two=${a%%@*}@$(tcp "$a"),$(tcp "$b")/$name
  owt=${a%%@*}@$(tcp "$b"),$(tcp "$a")/$name
  export b two owt
}

setup() {
  load ../kit
  p=t${BATS_TEST_NUMBER}_
  export DBLOCK_PREFIX=$p
  dblock -q -u "$a" schema up >/dev/null
  dblock -q -u "$(twice "$a")" run first -- true
}

teardown() {
  end_background
}

# Prints the host:port of a URL of one host.
tcp() {
  local rest=${1#*@}
  echo "${rest%%/*}"
}

# Prints a URL of one server by two names. Who opens a client there looks at its history at once.
twice() {
  local place
  place=$(tcp "$1")
  echo "${1%%@*}@$place,localhost:${place#*:}/$name"
}

# Runs a statement at B, in no database of ours.
at_b_server() {
  case $DBLOCK_TEST_BACKEND in
  postgresql) psql -X -q -v ON_ERROR_STOP=1 "$(cat "$server/url")" -c "$1" ;;
  mysql) mariadb --no-defaults --skip-ssl --socket="$(cat "$server/socket")" --user=root -e "$1" ;;
  esac
}

# at URL STATEMENT: prints what it gives.
at() {
  case $DBLOCK_TEST_BACKEND in
  postgresql) psql -X -q -A -t -v ON_ERROR_STOP=1 "$1" -c "$2" ;;
  mysql)
    local place
    place=$(tcp "$1")
    mariadb --no-defaults --skip-ssl --batch --skip-column-names --user=root --host="${place%:*}" --port="${place#*:}" "$name" -e "$2"
    ;;
  esac
}

# B becomes what a standby of A is in the moment of its promotion.
promote() {
  needs_pg_dump
  case $DBLOCK_TEST_BACKEND in
  postgresql) pg_dump -t "${p}*" "$a" | psql -X -q -v ON_ERROR_STOP=1 "$b" >/dev/null ;;
  mysql)
    local place tables
    place=$(tcp "$a")
    tables=$(at "$a" "SHOW TABLES LIKE '${p}%'")
    # shellcheck disable=SC2086 # words
    mariadb-dump --no-defaults --user=root --host="${place%:*}" --port="${place#*:}" --single-transaction \
      "$name" $tables | mariadb --no-defaults --skip-ssl --user=root --socket="$(cat "$server/socket")" "$name"
    ;;
  esac
}

# Another history begins there, as where a server has another name than the one that was noted.
diverge() {
  at "$1" "UPDATE ${p}history SET facts = 'another server'"
  dblock -q -u "$(twice "$1")" run later -- true
}

# locked URL NAME: prints how often that name was locked there.
locked() {
  at "$1" "SELECT count(*) FROM ${p}lock WHERE name = '$2'"
}

@test "who is new goes to the one that goes on from the other, in whatever order they are named" {
  promote
  run -0 dblock --call-timeout "$(slowly 20)" -u "$two" run one -- true
  run -0 dblock --call-timeout "$(slowly 20)" -u "$owt" run two -- true
  run -0 dblock --call-timeout "$(slowly 20)" -u "$two" run three -- true
  equal "$(locked "$a" one)$(locked "$a" two)$(locked "$a" three)" 000
  equal "$(locked "$b" one)$(locked "$b" two)$(locked "$b" three)" 111
}

@test "who holds a lock at the former primary goes on at the other, once it has to connect again" {
  local before
  DBLOCK_URL=$two hold kept --call-timeout "$(slowly 20)" --ttl "$(slowly 10)"
  equal "$(locked "$a" kept)" 1
  promote
  dblock -q -u "$(twice "$b")" run somebody -- true
  before=$(at "$b" "SELECT max(beat) FROM ${p}session")
  cut
  gone_on() { [ "$(at "$b" "SELECT max(beat) FROM ${p}session")" != "$before" ]; }
  wait_for gone_on
  run -75 dblock -u "$b" run -n kept -- true
  kill -TERM "$holder"
  ended "$holder"
  equal "$code" 143
  run -0 dblock -u "$b" run -n kept -- true
}

# Ends all connections of clients to A's database.
cut() {
  case $DBLOCK_TEST_BACKEND in
  postgresql)
    at "$a" "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()" >/dev/null
    ;;
  mysql)
    local id
    for id in $(at "$a" "SELECT id FROM information_schema.processlist
      WHERE db = DATABASE() AND id <> CONNECTION_ID()"); do
      at "$a" "KILL $id" || true
    done
    ;;
  esac
}

@test "two branches, neither of which goes on from the other, are refused by name" {
  promote
  diverge "$b"
  diverge "$a"
  run -69 --separate-stderr dblock --call-timeout "$(slowly 20)" -u "$two" run one -- true
  contains "$stderr" "hosts 1 and 2 of the URL can both be written, and are two branches of the database"
  run -69 --separate-stderr dblock --call-timeout "$(slowly 20)" -u "$owt" run one -- true
  contains "$stderr" "hosts 1 and 2 of the URL"
  equal "$(locked "$a" one)$(locked "$b" one)" 00
  equal "$(at "$a" "SELECT count(*) FROM ${p}session WHERE NOT dead")" 0
  run -0 dblock -u "$a" run one -- true
}

@test "one server by two names is one, and so is one beside a server that has nothing of ours" {
  run -0 dblock -u "$(twice "$a")" run one -- true
  run -0 dblock --call-timeout "$(slowly 20)" -u "$two" run two -- true
  equal "$(locked "$a" one)$(locked "$a" two)" 11
}

@test "a host that is silent keeps nobody for long" {
  local begun
  promote
  kill -STOP "$(cat "$server/pid")"
  begun=$(now_ms)
  run -0 dblock -u "$two" run one -- true
  echo "took $(($(now_ms) - begun)) ms"
  [ $(($(now_ms) - begun)) -lt $((5000 * ${DBLOCK_TEST_SLOWNESS-1})) ]
  kill -CONT "$(cat "$server/pid")"
  equal "$(locked "$a" one)" 1
}
