#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A lock on a majority of three databases: quorum init, and run, acquire, renew, release by their URLs.

setup() {
  load ../kit
  load ../cluster
  make_databases 4
}

teardown() {
  end_background
  drop_databases
}

@test "init: all are members, once; what is wrong is said by its name" {
  run -64 --separate-stderr dblock "${members[@]}" run -n x -- true
  contains "$stderr" ": it is no member of a cluster: run 'dblock quorum init'"
  run -64 --separate-stderr dblock "${members[@]}" quorum init billing
  contains "$stderr" "it may forget votes"
  contains "$stderr" "--allow-forgetful"
  run -0 dblock "${members[@]}" quorum init billing --allow-forgetful
  equal "$output" "billing: 3 members vote"
  run -0 dblock quorum init billing --allow-forgetful "${members[@]}"
  run -64 --separate-stderr dblock quorum init other --allow-forgetful "${members[@]}"
  contains "$stderr" "member 1 is already member 1 of 3 of the cluster 'billing'"
  run -64 --separate-stderr dblock quorum init billing --allow-forgetful -u "${urls[1]}" -u "${urls[2]}"
  contains "$stderr" "2 members; a cluster has 3, 5, 7 or 9"
  run -64 --separate-stderr dblock quorum init billing --allow-forgetful -u "${urls[1]}" -u "${urls[2]}" -u "${urls[1]}"
  contains "$stderr" "members 1 and 3 have one URL"
  run -64 --separate-stderr dblock quorum init billing --allow-forgetful -u "${urls[1]}" -u "${urls[2]}" -u sqlite:a.db
  contains "$stderr" "member 3 is an SQLite file"
  run -64 --separate-stderr dblock quorum
  contains "$stderr" "COMMAND is missing"
  run -64 --separate-stderr dblock "${members[@]}" run -s x -- true
  contains "$stderr" "a lock on several databases is exclusive"
}

@test "init --json and --max-ttl" {
  run -0 dblock --json quorum init billing --allow-forgetful --max-ttl 10s "${members[@]}"
  /usr/bin/python3 "$BATS_TEST_DIRNAME/../ui/json_schema.py" \
    "$BATS_TEST_DIRNAME/../../../docs/json/dblock.schema.json" <<<"cluster	$output"
  run -64 --separate-stderr dblock "${members[@]}" run -n x -- true
  contains "$stderr" "ttl_ms is 30000; the cluster's max_ttl is 10000: give a ttl (--ttl)"
  run -0 dblock "${members[@]}" run --ttl 5s x -- true
  token=$(dblock "${members[@]}" acquire x --lease 5s)
  run -0 dblock "${members[@]}" release x "$token"
}

@test "run: one at a time, its command has token and cluster; what it returns is returned" {
  export DBLOCK_URL="${urls[1]} ${urls[2]} ${urls[3]}"
  dblock quorum init billing --allow-forgetful >/dev/null
  run -7 dblock run x -- sh -c 'dblock -q run -n x -- true; echo "$? ${DBLOCK_TOKEN:+has a token}"; exit 7'
  equal "$output" "75 has a token"
  unset DBLOCK_URL
  run -0 dblock "${members[@]}" run x -- sh -c 'dblock -q run -n x -- true; echo $?'
  equal "$output" 75
  background dblock "${members[@]}" run x -- sleep 1000
  wait_for eval '! dblock -q "${members[@]}" run -n x -- true'
  run -75 dblock "${members[@]}" run -w 0.1s x -- true
}

@test "acquire, renew, release: a lease is known by its token, on all members" {
  export DBLOCK_URL="${urls[3]} ${urls[2]} ${urls[1]}"
  dblock quorum init billing --allow-forgetful >/dev/null
  token=$(dblock acquire x --lease 1m)
  run -75 dblock run -n x -- true
  run -64 --separate-stderr dblock renew x "$token" --lease 1h
  contains "$stderr" "the members' max_ttl is 300000 ms"
  run -0 dblock renew x "$token" --lease 2m
  run -1 dblock release x $((token + 1))
  run -0 dblock release x "$token"
  run -1 --separate-stderr dblock release x "$token"
  contains "$stderr" "'x' is not held by the grant with token $token"
  run -0 dblock run -n x -- true
  [ "$(dblock acquire x --lease 1m)" -gt "$token" ]
}

@test "replace: another database takes a member's place; broken off, it is gone on with" {
  local new=(-u "${urls[1]}" -u "${urls[2]}" -u "${urls[4]}")
  dblock "${members[@]}" quorum init billing --allow-forgetful --max-ttl 2s >/dev/null
  run -64 --separate-stderr dblock "${new[@]}" quorum replace
  contains "$stderr" "MEMBER is missing"
  run -64 --separate-stderr dblock "${new[@]}" quorum replace 4 --allow-forgetful
  contains "$stderr" "MEMBER is '4', and has to be a number from 1 to 3"
  run -64 --separate-stderr dblock "${new[@]}" quorum replace third
  run -64 --separate-stderr dblock -u "${urls[1]}" quorum replace 1 --allow-forgetful
  contains "$stderr" "1 members; a cluster has 3, 5, 7 or 9"
  run -64 --separate-stderr dblock -u "${urls[2]}" -u "${urls[1]}" -u "${urls[4]}" quorum replace 3 --allow-forgetful
  contains "$stderr" "order of their numbers"
  token=$(dblock "${members[@]}" acquire x --lease 2s)
  background dblock "${new[@]}" quorum replace 3 --allow-forgetful
  wait_for eval '! dblock -q "${members[@]}" run --ttl 2s -n y -- true'
  end_background
  run -69 --separate-stderr dblock "${members[@]}" run --ttl 2s -n y -- true
  contains "$stderr" "run 'dblock quorum replace' again"
  run -0 --separate-stderr dblock "${new[@]}" quorum replace 3 --allow-forgetful
  equal "$output" "member 3 votes"
  contains "$stderr" "each client knows, or holds nothing, in 2s"
  run -0 --separate-stderr dblock "${new[@]}" --json quorum replace 3 --allow-forgetful
  /usr/bin/python3 "$BATS_TEST_DIRNAME/../ui/json_schema.py" \
    "$BATS_TEST_DIRNAME/../../../docs/json/dblock.schema.json" <<<"replaced	$output"
  equal "$stderr" ""
  [ "$(dblock "${new[@]}" acquire x --lease 2s -w 10s)" -gt "$token" ]
  run -0 dblock "${members[@]}" run --ttl 2s -n y -- true
  run -64 --separate-stderr dblock "${members[@]}" quorum init billing --allow-forgetful
  contains "$stderr" "member 3: it is member 3 of 3 of the cluster 'billing', epoch 1, and the others are not"
  run -0 dblock "${new[@]}" quorum init billing --allow-forgetful
}

@test "a member that is silent keeps no command waiting" {
  local db others since=$SECONDS token
  load ../relay
  relay
  run -0 dblock quorum init billing --allow-forgetful "${members[@]}"
  [[ ${urls[3]} =~ t_[0-9]+_[0-9a-f]+_q3 ]]
  db=${BASH_REMATCH[0]}
  [[ $url =~ t_[0-9]+_[0-9a-f]+ ]]
  others=(--call-timeout 2m -u "${urls[1]}" -u "${urls[2]}" -u "${url/"${BASH_REMATCH[0]}"/$db}")
  run -0 dblock "${others[@]}" run x -- true
  kill -STOP "$relay"
  run -0 dblock "${others[@]}" run x -- true
  token=$(dblock "${others[@]}" acquire x --lease 2m)
  run -0 dblock "${others[@]}" renew x "$token" --lease 3m
  run -0 dblock "${others[@]}" release x "$token"
  ((SECONDS - since < 100))
  kill -CONT "$relay"
}

@test "without a majority each member that is missing is named" {
  local nowhere=postgresql://nobody@127.0.0.1:1/other
  run -0 dblock quorum init billing --allow-forgetful "${members[@]}"
  run -69 --separate-stderr dblock run --call-timeout 1s -n -u "${urls[1]}" -u "$nowhere" -u "${nowhere}s" x -- true
  contains "$stderr" "member 2: "
  contains "$stderr" "; member 3: "
}
