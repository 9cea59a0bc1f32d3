#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Looking at all members of a cluster: quorum status, show and doctor; and what is for one database only.

setup() {
  load kit
  load cluster
  make_databases
  dblock quorum init billing --allow-forgetful "${members[@]}" >/dev/null
}

teardown() {
  end_background
  drop_databases
}

# The cells of the member's row in $output, with one blank between them.
row() {
  sed -nE "/^MEMBER /,/^\$/s/^$1 +//p" <<<"$output" | tr -s ' '
}

all_vote_for_x() {
  [[ $(dblock --json show x "${members[@]}") == *'"granted":3,'* ]]
}

# fits KIND: each line of $output fits the schema of that kind.
fits() {
  sed "s/^/$1\t/" <<<"$output" | /usr/bin/python3 "$BATS_TEST_DIRNAME/ui/json_schema.py" \
    "$BATS_TEST_DIRNAME/../../docs/json/dblock.schema.json"
}

@test "status: all vote, a majority does, none does" {
  run -0 dblock quorum status "${members[@]}"
  equal "${lines[0]}" "billing: 3 of 3 members vote; 2 are needed"
  [[ $(row 2) =~ ^votes\ billing\ 2\ of\ 3\ 1\ 5m\ [0-9a-f]{8}$ ]]
  lacks "$output" "member 1"
  run -1 dblock quorum status -u "${urls[1]}" -u "$nowhere" -u "${urls[3]}"
  equal "${lines[0]}" "billing: 2 of 3 members vote; 2 are needed"
  equal "$(row 2)" "down - - - - -"
  grep -qE '^member 2: .*127\.0\.0\.1' <<<"$output"
  # Naive: who can be looked at votes.
  sql_of 3 "DELETE FROM dblock_quorum"
  run -2 dblock quorum status -u "${urls[1]}" -u "$nowhere" -u "${urls[3]}"
  equal "${lines[0]}" "billing: 1 of 3 members vote; 2 are needed"
  equal "$(row 3)" "none - - - - -"
  contains "$output" "member 3: it is no member of a cluster: run 'dblock quorum init'"
}

@test "status: a copy, one that is not complete, another order, one given twice, no tables" {
  sql_of 1 "UPDATE dblock_history SET facts = 'elsewhere'"
  sql_of 2 "UPDATE dblock_quorum SET state = 0"
  run -2 dblock quorum status "${members[@]}"
  [[ $(row 1) =~ ^copy\ billing\ 1\ of\ 3\ 1\ 5m\ [0-9a-f]{8},\ now\ another$ ]]
  [[ $(row 2) == "new billing 2 of 3 "* ]]
  contains "$output" "member 1: it was member 1 of the cluster 'billing', but was restored, or failed over"
  contains "$output" "member 2: the cluster 'billing' is not complete"
  sql_of 2 "UPDATE dblock_quorum SET state = 1"
  run -1 dblock quorum status -u "${urls[3]}" -u "${urls[2]}" -u "${urls[1]}"
  contains "$output" "member 1: its number is 3: give the URLs in the order of their numbers"
  lacks "$output" "member 2"
  run -2 dblock --prefix none_ quorum status "${members[@]}"
  [[ $(row 3) == "unknown - "* ]]
  contains "$output" "run 'dblock schema up --prefix none_'"
}

@test "status --json" {
  run -1 dblock --json quorum status -u "${urls[1]}" -u "$nowhere" -u "${urls[3]}"
  fits cluster_state
  contains "$output" '"voting":2'
  contains "$output" '"state":"down"'
  contains "$output" '"code":"DBLOCK_E_UNAVAILABLE"'
  run -64 --separate-stderr dblock --json quorum status -u "${urls[1]}"
  contains "$stderr" '1 members; a cluster has 3, 5, 7 or 9'
}

@test "show: who has it, at which token, and who waits" {
  local up=$BATS_TEST_TMPDIR/up token
  run -1 --separate-stderr dblock show x "${members[@]}"
  equal "$output" ""
  contains "$stderr" "'x': no lock of this name is known"
  # shellcheck disable=SC2016
  background dblock run x "${members[@]}" -- sh -c 'echo "$DBLOCK_TOKEN" >"$1.new"; mv "$1.new" "$1"; exec sleep 1000' - "$up"
  wait_for test -e "$up"
  wait_for all_vote_for_x
  token=$(cat "$up")
  background dblock -q run x "${members[@]}" -- true
  wait_for eval '[[ $(dblock --json show x "${members[@]}") == *"\"waiting\":1,\"members\""* ]]'
  run -0 dblock show x "${members[@]}"
  contains "$output" "held:     yes: granted by 3 of 3 members"
  contains "$output" "token:    $token"
  contains "$output" "waiting:  1"
  [[ $(row 3) == "session "*":"*" $token "* ]]
  run -0 dblock --json show x "${members[@]}"
  fits shown_by_members
  contains "$output" '"held":"yes"'
  # One that is down may have granted it, or not; who has two of three has it.
  run -0 dblock show x -u "${urls[1]}" -u "${urls[2]}" -u "$nowhere"
  contains "$output" "held:     yes: granted by 2 of 3 members"
  contains "$output" "member 3: "
  run -69 --separate-stderr dblock show x -u "${urls[1]}" -u "$nowhere" -u postgresql://nobody@127.0.0.1:1/other
  contains "$output" "held:     unknown: granted by 1 of 3 members, and those that do not tell may have, too"
  contains "$stderr" "members that can tell who has it: 1 of 3; 2 are needed"
}

@test "show: what a minority has granted is not held, and a free lock is free" {
  dblock run x "${members[@]}" -- true
  run -0 dblock show x "${members[@]}"
  contains "$output" "held:     no: granted by 0 of 3 members"
  equal "$(row 1 | cut -d' ' -f1,2)" "free -"
  dblock acquire x --lease 4m "${members[@]}"
  sql_of 1 "UPDATE dblock_lock SET expires = 1"
  sql_of 2 "UPDATE dblock_lock SET expires = 1"
  run -0 dblock show x "${members[@]}"
  contains "$output" "held:     no: granted by 1 of 3 members, and that is not enough"
  # Naive: two of three may be all that there are.
  run -0 dblock show x -u "${urls[1]}" -u "$nowhere" -u "${urls[3]}"
  contains "$output" "held:     unknown: granted by 1 of 3 members"
  # Nor is what one says that may have forgotten who has its vote; but what one says that is closed.
  sql_of 3 "UPDATE dblock_quorum SET state = 2"
  run -0 dblock show x "${members[@]}"
  contains "$output" "held:     no: granted by 1 of 3 members"
  [[ $(row 3) == "lease "* ]]
  sql_of 3 "UPDATE dblock_history SET facts = 'elsewhere'"
  run -0 dblock show x "${members[@]}"
  contains "$output" "held:     no: granted by 0 of 3 members"
  equal "$(row 3)" "copy - - - - -"
}

@test "doctor: each member's findings, and the cluster's" {
  # These servers do not sync to the disk, which for one database is a warning.
  run -2 dblock doctor "${members[@]}"
  grep -qE "^1 +ok +server " <<<"$output"
  grep -qE "^3 +wrong +durability .*; a member must not forget its votes$" <<<"$output"
  contains "$output" "it votes as member 2 of 3 of the cluster 'billing', epoch 1"
  grep -qE "^all +ok +quorum +all 3 members vote: 1 of them may fail$" <<<"$output"
  run -2 dblock doctor -q -u "${urls[1]}" -u "$nowhere" -u "${urls[3]}"
  grep -qE "^2 +warning +quorum +it does not vote: .*127\.0\.0\.1" <<<"$output"
  grep -qE "^all +warning +quorum +of 3 members 2 vote: " <<<"$output"
  lacks "$output" " ok "
  run -2 dblock doctor -q -u "${urls[2]}" -u "${urls[1]}" -u "$nowhere"
  grep -qE "^1 +warning +quorum +its number is 2, and it was given as 1" <<<"$output"
  sql_of 1 "UPDATE dblock_quorum SET epoch = 2, roster = replace(roster, (SELECT id FROM dblock_history), 'new')"
  sql_of 3 "UPDATE dblock_quorum SET max_ttl = 5000000"
  run -2 dblock --json doctor "${members[@]}"
  contains "$output" "it was member 1 of the cluster 'billing', and another database is in its place"
  contains "$output" "its max_ttl is 5000 ms, and another member's 300000 ms"
  fits finding
  sql_of 3 "UPDATE dblock_quorum SET state = 2"
  run -2 dblock doctor -q "${members[@]}"
  grep -qE "^all +wrong +quorum +of 3 members 1 vote, and 2 are needed: no lock is granted$" <<<"$output"
}

@test "what is for one database says so, and what to do" {
  local command
  # What needs no database is done.
  local files=$BATS_TEST_TMPDIR/files
  dblock "${members[@]}" migrate new first --dir "$files"
  while read -r command; do
    # shellcheck disable=SC2086
    run --separate-stderr dblock "${members[@]}" $command
    [ "$status" = 64 ] || [[ $status = 2 && $command == @(schema|migrate)* ]] || {
      echo "$command: $status" >&2
      return 1
    }
    contains "$stderr" "it is for one database, and several were given: "
  done <<END
elect x -- true
leader x
ls
top -b
graph
explain x
events
request x
drain here:1
break x
reap
metrics
schema status
migrate status --dir $files
END
}

@test "a member's list shows a cluster's lock by a name that can be read" {
  dblock acquire x --lease 1m "${members[@]}"
  run -0 dblock ls -u "${urls[1]}"
  contains "$output" "quorum/x "
  run -0 dblock --json ls -u "${urls[1]}"
  contains "$output" '"name":"quorum\u001Fx"'
}
