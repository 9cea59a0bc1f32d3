#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate for the library's own tables, and what happens without it. Each test has tables of its
# own, by prefix.

setup() {
  load migrate
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
  [[ ${lines[0]} =~ ^applied\ 0001_[a-z_]+\ \([0-9]+\ statements?,\ [0-9]+\ ms\)$ ]]
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
  sql "UPDATE odd_migration SET checksum = 'x', token_checksum = 'x' WHERE version = 1"
  sql "UPDATE odd_migration SET state = 'running' WHERE version = 2"
  sql "UPDATE odd_migration SET version = 9999 WHERE version = $last"
  run -0 dblock --prefix odd_ migrate status
  [[ ${lines[1]} =~ ^0*1\ .*\ changed ]]
  [[ ${lines[2]} =~ ^0*2\ .*\ running ]]
  [[ ${lines[last]} =~ ^0*$last\ .*\ pending ]]
  [[ ${lines[last + 1]} =~ ^9999\ .*\ newer ]]
}

# SQLite leaves what is there; the view is for people.
@test "a stranger's table where our view belongs: 1, and its name" {
  if [ "$DBLOCK_TEST_BACKEND" != sqlite ]; then
    sql "CREATE TABLE taken_holders (id INTEGER)"
    run -1 --separate-stderr dblock --prefix taken_ migrate up
    contains "$stderr" 0005_view
    contains "$stderr" "taken_holders"
  fi
}

@test "--json: one object for the call" {
  dir=
  json=$(dblock --json --prefix json_ migrate status)
  equal "$(field command) $(field ok) $(field scope) $(field dialect)" \
    "status true dblock $DBLOCK_TEST_BACKEND"
  equal "$(field migrations '#')" "$(all)"
  equal "$(field migrations 0 version) $(field migrations 0 state)" "1 pending"
  equal "$(field migrations 0 applied)" null
  json=$(dblock --json --prefix json_ migrate up)
  equal "$(field role) $(field from) $(field to)" "runner 0 $(all)"
  equal "$(field migrations '#')" "$(all)"
  equal "$(field migrations 0 state)" applied
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
    run -2 dblock --prefix "$prefix" migrate up
  done
}

@test "down: the last one, only if somebody says yes, and not while a lock is held" {
  dblock -q --prefix down_ migrate up
  dblock --prefix down_ acquire held --lease 1h
  run -2 --separate-stderr dblock --prefix down_ migrate down </dev/null
  contains "$stderr" "--yes"
  run -6 --separate-stderr dblock --prefix down_ migrate down --all --yes
  contains "$stderr" "holds a lock"
  dblock --prefix down_ break held
  run -0 dblock --prefix down_ migrate down --all --yes
  equal "${#lines[@]}" "$(all)"
  run -78 dblock --prefix down_ ls
}

@test "the scope 'dblock' is the library's own, with or without its name" {
  run -0 dblock --prefix scope_ migrate up --scope dblock
  equal "${#lines[@]}" "$(all)"
  run -2 --separate-stderr dblock --prefix scope_ migrate up --scope dblock --dir .
  contains "$stderr" "leave out --dir"
  run -2 --separate-stderr dblock --prefix scope_ migrate up --scope shop
  contains "$stderr" "--dir is missing"
}
