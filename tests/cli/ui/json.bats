#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What every command prints with --json fits docs/json/dblock.schema.json, and has no key that is not there.

setup() {
  load ../kit
  with_tables
  schema=$BATS_TEST_DIRNAME/../../../docs/json/dblock.schema.json
  seen=$BATS_TEST_TMPDIR/seen
  : >"$seen"
}

teardown() {
  end_background
}

# as KIND CODE COMMAND...: runs it with --json, and notes what it printed: objects of that kind, none for
# "none". What it says on stderr are messages, but for the words of `migrate` for people.
as() {
  local kind=$1 code=$2 line
  shift 2
  run "-$code" --separate-stderr dblock --json "$@"
  while read -r line; do
    [ -z "$line" ] || printf '%s\t%s\n' "$kind" "$line" >>"$seen"
  done <<<"$output"
  while read -r line; do
    [[ -z $line || ($1 == @(migrate|schema) && $line != '{'*) ]] || printf 'message\t%s\n' "$line" >>"$seen"
  done <<<"$stderr"
  if [ "$kind" = none ]; then equal "$output" ""; else contains "$output" '{"'; fi
}

fit() {
  /usr/bin/python3 "$BATS_TEST_DIRNAME/json_schema.py" "$schema" <"$seen"
}

does_not_fit() {
  printf '%s\t%s\n' "$1" "$2" >"$seen"
  run fit
  [ "$status" = 1 ] || return 1
  contains "$output" "$1: "
}

@test "a key too many, one too few, and another type do not fit" {
  printf 'reaped\t%s\n' "$(dblock --json reap)" >"$seen"
  fit
  does_not_fit drained '{"asked":1,"more":2}'
  does_not_fit drained '{}'
  does_not_fit drained '{"asked":"1"}'
  does_not_fit drained '{"asked":-1}'
  does_not_fit message '{"command":"ls","code":null}'
  does_not_fit message '{"command":"ls","code":null,"error":"x","note":"y"}'
  local holder
  dblock acquire fits --lease 1h
  holder=$(dblock --json ls fits)
  does_not_fit holder "${holder/\"app\"/\"apps\"}"
  does_not_fit holder "${holder/\"held\":\"lease\"/\"held\":\"leased\"}"
  does_not_fit shown "$holder"
  does_not_fit look "$holder"
}

@test "locks: taken, listed, shown, broken; also where nothing is known, and where it fails" {
  local token
  as grant 0 acquire j-a --lease 1h --value 'a "value"'
  token=$(token_of j-a)
  as renewed 0 renew j-a "$token" --lease 2h
  as none 1 renew j-a 5 --lease 2h
  as none 0 request j-a --reason 'to see'
  as holder 0 ls j-a
  contains "$output" '"reason":"to see"'
  as grant 0 release j-a "$token"
  as none 1 release j-a "$token"
  as holder 0 ls --all
  contains "$output" '"held":"free"'
  as shown 0 show j-a
  as none 1 show nobody-knows
  as explained 0 explain j-a
  contains "$output" '"event":"refused"'
  as none 1 explain nobody-knows
  as event 0 events
  as none 0 events nobody-knows
  as none 64 ls --sort size
  contains "$stderr" '"code":"DBLOCK_E_INVALID"'
  as none 64 acquire j-a
  hold j-b -s
  hold j-b -s
  hold j-p -p 2/3
  background dblock run j-b -- true
  wait_for eval '[ "$(number_of j-b waiting)" = 1 ]'
  as holder 0 ls
  as waiter 0 ls --waiters
  as shown 0 show j-b
  as shown 0 show j-p
  as edge 0 graph
  as top 0 top -n 1
  contains "$output" '"waiting":1'
  as none 75 acquire -n j-b --lease 1h
  contains "$stderr" '"code":"DBLOCK_BUSY"'
  as none 0 run j-c -- true
  as none 75 run -n j-b -- true
  as drained 0 drain "$(dblock --json ls j-p | sed -E 's/.*"session":"([0-9a-f]+)".*/\1/')"
  as none 1 drain nowhere:1
  as none 0 break --force j-p
  as holder 0 ls
  as reaped 0 reap
  fit
}

@test "ls --watch: times between lists" {
  background dblock --json ls --watch=20ms >"$BATS_TEST_TMPDIR/out"
  dblock acquire j-w --lease 1h
  wait_for grep -q j-w "$BATS_TEST_TMPDIR/out"
  kill -TERM "$started"
  ended "$started"
  sed 's/^/look|holder\t/' "$BATS_TEST_TMPDIR/out" >"$seen"
  fit
}

@test "leaders, the doctor, the version" {
  local out=$BATS_TEST_TMPDIR/out
  as leader 1 leader j-l
  background dblock elect j-l -- sleep 1000
  wait_for eval 'dblock -q leader j-l'
  as leader 0 leader j-l
  background dblock --json leader --watch j-l >"$out"
  wait_for test -s "$out"
  sed 's/^/leader\t/' "$out" >>"$seen"
  as version 0 version
  run --separate-stderr dblock --json doctor
  sed 's/^/finding\t/' <<<"$output" >>"$seen"
  as finding 2 -u sqlite:/no/such/folder/db doctor
  as none 64 -u sqlite:/no/such/folder/db ls
  contains "$stderr" '"command":"ls","error":"'
  as none 64 no-such-command
  as none 64 quorum init c
  as none 64 quorum replace 1
  fit
}

@test "rates" {
  as none 0 rate ls
  as none 0 run --rate 2/day j-r -- true
  as none 75 run -n --rate 2/day j-r -- true
  as rate 0 rate ls
  as none 0 rate reset j-r
  as none 1 rate reset j-r
  fit
}

@test "messages: delivered, listed, shown, tried again, given up" {
  as none 0 outbox ls
  outbox_put j good 'a "body"'
  outbox_put j bad x y
  export came=$BATS_TEST_TMPDIR/came
  as none 0 outbox run j --drain -- sh -c '[ "$DBLOCK_KEY" = good ] && cat >>"$came"'
  sed 's/^/outbox_delivery\t/' "$came" >>"$seen"
  as outbox_topic 0 outbox ls
  as outbox_failure 0 outbox ls j
  as outbox_message 0 outbox show j bad
  as outbox_retried 0 outbox retry j
  as none 1 outbox retry j
  as none 0 outbox run j --drain --tries 1 -- false
  as outbox_failure 0 outbox ls j
  contains "$output" '"parked":true'
  as outbox_message 0 outbox show j bad
  as none 0 recover # what it prints is in recover/remote_recover.bats
  as none 0 global ls # likewise, recover/remote_global.bats
  as outbox_dropped 0 outbox drop j bad 1
  as none 1 outbox drop j bad 1
  as none 1 outbox show j good
  as none 64 outbox drop j bad none
  as latch 0 latch create j -n 2
  as latch_down 0 latch down j
  as latch 0 latch show j
  as latch_down 0 latch down j
  as none 0 latch wait j
  as latch 0 latch reset j
  as none 75 latch wait j -w 0
  as none 1 latch show none
  as none 0 barrier j -n 1
  as none 3 barrier j -n 1 -- sh -c 'exit 3'
  fit
}

@test "pools: a capacity, which permits, members" {
  as none 1 pool resize j-s
  as pool_capacity 0 pool resize j-s 4
  as pool_capacity 0 pool resize j-s
  as grant 0 acquire j-s -p 2/stored --numbered --lease 1h
  contains "$output" '"numbers":[0,1]'
  as none 64 acquire j-s -p 1/8 --lease 1h
  as none 64 pool resize j-s many
  as none 0 pool ls
  as none 0 pool add j-pool j-s j-t
  as none 0 pool drain j-pool j-t
  as pool_member 0 pool ls
  contains "$output" '"holders":1'
  as pool_member 0 pool ls j-pool
  as none 1 pool remove j-pool nobody
  as none 0 pool remove j-pool j-s j-t
  fit
}

@test "the migrations of others and our own" {
  local dir=$BATS_TEST_TMPDIR/m name=mine
  cd "$BATS_TEST_TMPDIR"
  as made 0 migrate new first --dir "$dir"
  as made 2 migrate new 'a/b' --dir "$dir"
  rm "$dir"/*
  echo 'CREATE TABLE j_one (a integer);' >"$dir/0001_one.up.sql"
  echo 'DROP TABLE j_one;' >"$dir/0001_one.down.sql"
  echo 'CREATE TABLE j_two (a integer);' >"$dir/0002_two.up.sql"
  echo 'DROP TABLE j_two;' >"$dir/0002_two.down.sql"
  set -- --dir "$dir" --scope "$name"
  as report 0 migrate plan "$@"
  as report 0 migrate plan --sql "$@"
  as report 3 migrate status --check "$@"
  as report 0 migrate to 1 "$@"
  as report 0 migrate to 2 "$@"
  as report 0 migrate up "$@"
  as report 0 migrate status "$@"
  as report 0 migrate verify "$@"
  as report 0 migrate redo "$@"
  as report 0 migrate down "$@"
  as report 0 migrate goto 2 "$@"
  echo 'CREATE TABLE j_onf (a integer);' >"$dir/0001_one.up.sql"
  as report 4 migrate verify "$@"
  contains "$output" '"code":"changed"'
  echo 'CREATE TABEL j_three (a integer);' >"$dir/0003_three.up.sql"
  as report 4 migrate up "$@"
  echo 'CREATE TABLE j_one (a integer);' >"$dir/0001_one.up.sql"
  as report 1 migrate up "$@"
  contains "$output" '"code":"DBLOCK_E_MIGRATION"'
  as report 4 migrate adopt "$@"
  rm "$dir"/0003*
  as report 0 migrate baseline 2 --dir "$dir" --scope another --yes
  as report 2 migrate repair 2 --forget "$@"
  as made 0 migrate embed "$dir" --dialect sqlite --output "$BATS_TEST_TMPDIR/embedded.c"
  as report 2 migrate up --dir "$dir/nowhere"
  as none 2 migrate no-such
  as report 0 schema plan
  as report 0 schema status
  as report 0 schema verify
  as report 0 schema up
  as report 2 schema down
  as report 4 schema baseline 20
  as report 2 schema repair 20 --forget
  mkdir fly
  echo 'CREATE TABLE j_fly (a integer);' >fly/V1__first.sql
  as imported 0 migrate import fly --to made --from flyway --dialect sqlite
  mkdir none
  as imported 2 migrate import none --to made2 --from flyway --dialect sqlite
  as database 0 migrate wait
  as database 0 migrate create
  as database 2 migrate drop
  fit
}

@test "a dump of the schema" {
  needs_pg_dump
  mkdir "$BATS_TEST_TMPDIR/m"
  echo 'CREATE TABLE j_dumped (a integer);' >"$BATS_TEST_TMPDIR/m/0001_one.up.sql"
  set -- --dir "$BATS_TEST_TMPDIR/m" --scope dumped
  as report 0 migrate up "$@"
  as report 0 migrate dump "$BATS_TEST_TMPDIR/dump.sql" "$@"
  as report 2 migrate dump "$BATS_TEST_TMPDIR/no/such/dump.sql" "$@"
  fit
}

# The commands that print nothing of their own, or text of others.
without='help request break run elect complete metrics'

@test "every command is tried here, but those that print no objects" {
  local command
  for command in $(dblock help | sed -nE '/^commands:/,/^$/s/^  ([a-z]+) .*/\1/p'); do
    case " $without migrate schema " in *" $command "*) continue ;; esac
    grep -qE "(as [a-z]+ [0-9]+ |json )(-u [^ ]+ )?(--json )?$command( |$)" "$BATS_TEST_FILENAME" || {
      echo "not tried: $command"
      return 1
    }
  done
  for command in $(dblock help migrate | sed -nE '/^commands:/,/^$/s/^  ([a-z]+) .*/\1/p'); do
    [ "$command" != help ] || continue
    grep -qE "as [a-z]+ [0-9]+ migrate $command( |$)" "$BATS_TEST_FILENAME" || {
      echo "not tried: migrate $command"
      return 1
    }
  done
}

@test "cli.md says which command prints which kind, and each kind is there" {
  local docs=$BATS_TEST_DIRNAME/../../../docs
  equal "$(sed -nE 's/^\| .*[a-z`] \| `([a-z_]+)` \|$/\1/p' "$docs/user/cli.md" | sort -u)" \
    "$(/usr/bin/python3 -c 'import json, sys
for kind in json.load(open(sys.argv[1], encoding="utf-8"))["anyOf"]:
    print(kind["$ref"].rpartition("/")[2])' "$schema" | sort -u)"
}
