#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The GRANTs of docs/operator/sql.md, run as they are written there: each role does its work with exactly these
# rights, and is refused what is not its work.

setup_file() {
  load ../kit
  clean_up
  grants >"$BATS_FILE_TMPDIR/grants"
  case $DBLOCK_TEST_BACKEND in
  postgresql)
    # A superuser runs the part up to the first empty line; the owner of the tables runs the rest.
    sed '/^$/,$d' "$BATS_FILE_TMPDIR/grants" | client
    as owner -q schema up
    sed '1,/^$/d' "$BATS_FILE_TMPDIR/grants" >"$BATS_FILE_TMPDIR/rest"
    psql -X -q -v ON_ERROR_STOP=1 -f "$BATS_FILE_TMPDIR/rest" "$(url_of owner)"
    ;;
  mysql)
    sed '/^$/,$d' "$BATS_FILE_TMPDIR/grants" | client
    as owner -q schema up
    sed '1,/^$/d' "$BATS_FILE_TMPDIR/grants" | client
    ;;
  esac
}

setup() {
  load ../kit
  T=$BATS_TEST_TMPDIR
}

# What is prepared would keep the tables from being dropped.
teardown() {
  end_background
  [[ -z ${left-} || $DBLOCK_TEST_BACKEND = postgresql ]] || sql "XA ROLLBACK $left" || true
}

teardown_file() {
  load ../kit
  clean_up
}

# Prints the SQL of the page's section about this database.
grants() {
  local head="### PostgreSQL"
  [ "$DBLOCK_TEST_BACKEND" = postgresql ] || head="### MySQL"
  awk -v head="$head" '
    /^##/ { here = index($0, head) == 1 }
    /^```/ { inside = here && $0 == "```sql"; next }
    inside' "$BATS_TEST_DIRNAME/../../../docs/operator/sql.md"
}

# Roles and, on MySQL, the database belong to the whole server; no other test has these names.
clean_up() {
  local role
  case $DBLOCK_TEST_BACKEND in
  postgresql)
    sql "DROP SCHEMA IF EXISTS locks CASCADE"
    for role in recoverer reaper reader app owner; do
      sql "DROP ROLE IF EXISTS dblock_$role"
    done
    ;;
  mysql)
    sql "DROP DATABASE IF EXISTS locks"
    for role in recoverer reaper reader app owner; do
      sql "DROP USER IF EXISTS dblock_$role"
    done
    ;;
  esac
}

# On MySQL the URL has the database, too.
url_of() {
  case $DBLOCK_TEST_BACKEND in
  postgresql) sed -E "s#//[^@]*@#//dblock_$1@#" <<<"$DBLOCK_TEST_URL" ;;
  mysql) sed -E "s#//[^@]*@/[^?]*#//dblock_$1@/locks#" <<<"$DBLOCK_TEST_URL" ;;
  esac
}

# prepare_as ROLE GTRID BQUAL: a branch, which its program leaves.
prepare_as() {
  local mark="INSERT INTO locks.dblock_branch VALUES ('$2$3', 1)"
  case $DBLOCK_TEST_BACKEND in
  postgresql)
    psql -X -q -v ON_ERROR_STOP=1 "$(url_of "$1")" <<<"BEGIN; $mark; PREPARE TRANSACTION '$2$3';"
    ;;
  mysql) sql "XA START '$2', '$3'; $mark; XA END '$2', '$3'; XA PREPARE '$2', '$3'" ;;
  esac
}

# as ROLE ARG...: runs dblock as dblock_ROLE.
as() {
  local role=$1 place=()
  shift
  [ "$DBLOCK_TEST_BACKEND" = mysql ] || place=(--schema locks)
  dblock -u "$(url_of "$role")" "${place[@]}" "$@"
}

# refused CODE ROLE ARG...
refused() {
  local code=$1
  shift
  run "-$code" --separate-stderr as "$@"
  grep -qi denied <<<"$stderr"
  lacks "$stderr" "are missing"
}

@test "the page's SQL is found" {
  (($(grants | grep -c GRANT) >= 12))
}

@test "the application: locks of all kinds, slots, a leader, requests, a break" {
  local token
  run -0 --separate-stderr as app run alone --at-least 10ms --value v -- echo yes
  equal "$output$stderr" yes
  run -0 as app run shared -s -- true
  run -0 as app run update --update -- true
  run -0 as app run some -p 2/3 -- true
  run -0 as app pool resize stored 3
  run -0 as app run stored -p 2/stored --numbered -- true
  run -0 as app run stored -p 2/stored --numbered -- true
  run -0 as app pool add pooled one another
  run -0 as app pool drain pooled one
  run -0 as app run --any pool:pooled -- true
  run -0 as app pool remove pooled one
  run -0 as app run one -a another -- true
  run -0 as app run slot --once today -- true
  run -0 as app run slot --once today -- false
  run -0 as app elect first -- true
  token=$(as app acquire mine --lease 1h)
  run -0 as app request mine --reason please
  run -0 as app renew mine "$token" --lease 1h
  run -75 as app run -w 300ms mine -- true
  run -0 as app release mine "$token"
  as app acquire mine --lease 1h
  run -0 as app break mine
  run -0 as app run -n --rate 1/day rated -- true
  run -75 as app run -n --rate 1/day rated -- true
  run -0 as app rate reset rated
  hold_as_app living
  run -0 as app drain "$(as app --json ls living | sed -E 's/.*"session":"([^"]*)".*/\1/')"
  background as app run living -w 60s -- true
  local waiter=$started
  waits() {
    as app ls --waiters | grep -q living
  }
  wait_for waits
  run -0 as app graph
  contains "$output" living
  run -0 as app break living
  ended "$waiter"
  equal "$code" 0
}

hold_as_app() {
  background as app run "$1" -- sh -c 'echo up >"$1"; exec sleep 1000' - "$T/up"
  wait_for test -s "$T/up"
}

@test "the application may not purge names, nor drop the tables" {
  as app run unused -- true
  refused 77 app reap --purge-after 0
  contains "$stderr" dblock_
  refused 7 app schema down --all --yes
  run -0 as app show unused
  run -0 as app schema status
}

@test "the reaper: all of a pass, beside the lock that keeps it alone" {
  as app run unused -- true
  as app run slot --once yesterday -- true
  as app run --rate 1000/s rated -- true
  as app run gone -p 1/2 --numbered -- true
  run -0 as reaper run -n -E 0 reaper -- \
    dblock reap --purge-after 0 --keep-marks 0
  [[ $output =~ names\ purged:\ [1-9] ]]
  [[ $output =~ marks\ deleted:\ [1-9] ]]
  equal "$(sql "SELECT count(*) FROM locks.dblock_permit WHERE name = 'gone'" | tail -1)" 0
  run -1 as app show unused
  equal "$(as reader -q rate ls)" ""
  refused 7 reaper schema down --all --yes
}

@test "who only looks sees all, and changes nothing" {
  local token before
  refused 7 reader schema down --all --yes
  token=$(as app acquire seen --lease 1h)
  hold_as_app busy
  before=$(sql "SELECT count(*) FROM locks.dblock_session")
  run -0 as reader ls
  contains "$output" seen
  run -0 as reader ls --waiters
  run -0 as reader show seen
  run -0 as reader leader seen
  run -0 as reader graph
  as app run --rate 1/day rated -- true
  run -0 as reader rate ls
  contains "$output" rated
  refused 77 reader rate reset rated
  run -0 as reader pool ls
  run -0 as reader events
  contains "$output" schema
  run -0 as reader explain seen
  contains "$output" "its lease ends at"
  run as reader doctor
  ((status < 2)) || lacks "$output" "wrong    schema"
  refused 77 reader run x -- touch "$T/ran"
  contains "$stderr" "'dblock doctor' says which rights this user lacks, and docs/operator/sql.md has the grants"
  contains "$stderr" "(dblock ls, show; a client's option observe)"
  refused 77 reader acquire x --lease 1m
  refused 77 reader renew seen "$token" --lease 1m
  refused 77 reader release seen "$token"
  refused 77 reader elect x -- touch "$T/ran"
  refused 77 reader request seen
  refused 77 reader drain host:1
  refused 77 reader break seen
  refused 77 reader break busy --force
  refused 77 reader reap
  [ ! -e "$T/ran" ]
  equal "$(sql "SELECT count(*) FROM locks.dblock_session")" "$before"
  run -0 as app release seen "$token"
}

@test "who recovers: what others have prepared, and nothing else" {
  local url home id=00000000000000aa
  # A client that lives for a while begins the database's history.
  until home=$(sql "SELECT id FROM locks.dblock_history WHERE n = 1") && [ -n "$home" ]; do
    as app -q run --ttl 1s recover -- sleep 1
  done
  prepare_as app "dblock:$home:$id" "$home:1:1000"
  left="'dblock:$home:$id', '$home:1:1000'"
  if [ "$DBLOCK_TEST_BACKEND" = postgresql ]; then
    run -0 as recoverer recover
    contains "$output" "$id  not yet"
    contains "$output" "permission denied"
    url=$(url_of recoverer)
    [[ $url == *\?* ]] && url+='&' || url+='?'
    run -0 dblock -u "${url}options=-c%20role%3Ddblock_app" --schema locks recover
    contains "$output" "$id  rolled back"
  else
    run -0 as recoverer global ls
    contains "$output" "$id"
    run as recoverer recover
    equal "$output" "$id  rolled back  1 prepared  rolled back"
    refused 77 recoverer run x -- true
    refused 77 recoverer acquire x --lease 1m
  fi
}

@test "who may not see what is prepared is told which right that needs" {
  [ "$DBLOCK_TEST_DATABASE" = mysql ] || skip "the others show it to everybody"
  refused 77 app recover
  contains "$stderr" "XA_RECOVER_ADMIN"
  # What was decided is seen all the same.
  sql "INSERT INTO locks.dblock_decision VALUES ('00000000000000bb', 1, 1, 'x', 1)"
  run as app doctor
  sql "DELETE FROM locks.dblock_decision"
  contains "$output" "this user may not see what is prepared"
  contains "$output" "not finished everywhere: 1, the oldest for"
}
