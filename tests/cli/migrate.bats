#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate, and what happens without it. Each test has tables of its own, by prefix.

setup() {
  load kit
}

teardown() {
  end_background
}

# How many migrations there are.
all() {
  find "$BATS_TEST_DIRNAME/../../migrations/$DBLOCK_TEST_BACKEND" -name '*.up.sql' | wc -l
}

@test "up applies each migration and says so; a second time there is nothing to do" {
  run -0 --separate-stderr dblock --prefix up_ migrate up
  equal "${#lines[@]}" "$(all)"
  [[ ${lines[0]} =~ ^applied\ 0001\ [a-z_]+$ ]]
  run -0 --separate-stderr dblock --prefix up_ migrate up
  equal "$output" ""
  contains "$stderr" "nothing to do"
  run -0 dblock --prefix up_ run works -- echo yes
  equal "$output" yes
}

@test "status lists what is pending and what is applied, and changes nothing" {
  run -0 --separate-stderr dblock --prefix status_ migrate status
  [[ ${lines[0]} =~ ^VERSION\ +NAME\ +STATE\ +APPLIED\ +BY$ ]]
  equal "${#lines[@]}" $(($(all) + 1))
  equal "$(grep -c ' pending ' <<<"$output")" "$(all)"
  local before=$output
  run -0 dblock --prefix status_ migrate status
  equal "$output" "$before"
  dblock --prefix status_ migrate up
  run -0 dblock --prefix status_ migrate status
  equal "$(grep -c ' applied ' <<<"$output")" "$(all)"
  lacks "$output" pending
}

@test "status tells what is half done, of a newer dblock, or of another text" {
  local last
  last=$(all)
  dblock -q --prefix odd_ migrate up
  sql "UPDATE odd_migration SET checksum = 'x' WHERE version = 1"
  sql "UPDATE odd_migration SET state = 'running' WHERE version = 2"
  sql "UPDATE odd_migration SET version = 9999 WHERE version = $last"
  run -0 dblock --prefix odd_ migrate status
  [[ ${lines[1]} =~ ^0*1\ .*\ changed ]]
  [[ ${lines[2]} =~ ^0*2\ .*\ running ]]
  [[ ${lines[last]} =~ ^0*$last\ .*\ pending ]]
  [[ ${lines[last + 1]} =~ ^9999\ .*\ newer ]]
}

@test "--json: one object per migration" {
  run -0 dblock --json --prefix json_ migrate status
  equal "${#lines[@]}" "$(all)"
  contains "${lines[0]}" '{"version":1,"name":"'
  contains "${lines[0]}" '"state":"pending","applied":null'
  run -0 dblock --json --prefix json_ migrate up
  equal "${#lines[@]}" "$(all)"
  contains "${lines[0]}" '"state":"applied"'
}

@test "50 at once apply each migration exactly once" {
  local i pids=()
  for ((i = 0; i < 50; i++)); do
    background dblock --timeout 60s --prefix fifty_ migrate up \
      >"$BATS_TEST_TMPDIR/out.$i" 2>"$BATS_TEST_TMPDIR/err.$i"
    pids+=("$started")
  done
  for i in "${pids[@]}"; do
    ended "$i"
    [ "$code" = 0 ] || { cat "$BATS_TEST_TMPDIR"/err.* | sort | uniq -c; return 1; }
  done
  equal "$(cat "$BATS_TEST_TMPDIR"/out.* | grep -c '^applied ')" "$(all)"
  equal "$(cat "$BATS_TEST_TMPDIR"/out.* | sort -u | grep -c '^applied ')" "$(all)"
  run -0 dblock --prefix fifty_ run works -- echo yes
}

@test "without tables: 78 and the remedy; --auto-migrate is one" {
  # A file of SQLite that is new gets its tables by itself: this one is not new any more.
  dblock -q migrate up
  run -78 --separate-stderr dblock --prefix missing_ run x -- echo no
  equal "$output" ""
  contains "$stderr" "dblock migrate up"
  run -78 dblock --prefix missing_ ls
  run -78 dblock --prefix missing_ reap
  run -0 dblock --prefix missing_ --auto-migrate run x -- echo yes
  equal "$output" yes
  run -0 dblock --prefix missing_ run x -- echo yes
}

@test "prefixes are worlds of their own" {
  dblock -q --prefix one_ migrate up
  dblock -q --prefix two_ migrate up
  dblock --prefix one_ acquire same --lease 1h
  run -0 dblock --prefix two_ acquire -n same --lease 1h
  run -75 dblock --prefix one_ acquire -n same --lease 1h
}

@test "a prefix that is not an identifier is a usage error" {
  local prefix
  for prefix in 'a b' 'a;' "a'" 'a"' 'ä' '1a' 'a-b' '' "$(printf '%200s' x | tr ' ' x)"; do
    run -64 --separate-stderr dblock --prefix "$prefix" ls
    contains "$stderr" "dblock: ls: "
    run -64 dblock --prefix "$prefix" migrate up
  done
}
