#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock schema: the library's own tables, and what happens without it. Each test has its own
# tables, by prefix.

setup() {
  load migrate
}

teardown() {
  end_background
}

# Prints how many migrations there are, and their numbers.
all() {
  find "$BATS_TEST_DIRNAME/../../../migrations/$DBLOCK_TEST_BACKEND" -name '*.up.sql' | wc -l
}
first=19 last=25

@test "up applies each migration and says so; a second time there is nothing to do" {
  run -0 --separate-stderr dblock --prefix up_ schema up
  equal "${#lines[@]}" "$(all)"
  [[ ${lines[0]} =~ ^applied\ 00${first}_[a-z_]+\ \([0-9]+\ statements?,\ [0-9]+\ ms\)$ ]]
  run -0 --separate-stderr dblock --prefix up_ schema up
  equal "$output" ""
  contains "$stderr" "nothing to do"
  run -0 dblock --prefix up_ run works -- echo yes
  equal "$output" yes
}

@test "status lists what is pending and what is applied, and changes nothing" {
  run -0 --separate-stderr dblock --prefix status_ schema status
  [[ ${lines[0]} =~ ^VERSION\ +NAME\ +STATE\ +APPLIED\ +BY$ ]]
  equal "${#lines[@]}" $(($(all) + 1))
  equal "$(grep -c ' pending ' <<<"$output")" "$(all)"
  local before=$output
  run -0 dblock --prefix status_ schema status
  equal "$output" "$before"
  dblock --prefix status_ schema up
  run -0 dblock --prefix status_ schema status
  equal "$(grep -c ' applied ' <<<"$output")" "$(all)"
  lacks "$output" pending
}

@test "status tells what is half done, of a newer dblock, or of another text" {
  dblock -q --prefix odd_ schema up
  sql "UPDATE odd_migration SET checksum = 'x', token_checksum = 'x' WHERE version = $first"
  sql "UPDATE odd_migration SET state = 'running' WHERE version = $last"
  run -0 dblock --prefix odd_ schema status
  [[ ${lines[1]} =~ ^00$first\ .*\ changed ]]
  [[ ${lines[7]} =~ ^00$last\ .*\ running ]]
  sql "UPDATE odd_migration SET version = 9999, state = 'applied' WHERE version = $last"
  run -0 dblock --prefix odd_ schema status
  [[ ${lines[7]} =~ ^00$last\ .*\ pending ]]
  [[ ${lines[8]} =~ ^9999\ .*\ newer ]]
}

# SQLite leaves the stranger's table; the view is for people.
@test "a stranger's table where our view belongs: 1, and its name" {
  if [ "$DBLOCK_TEST_BACKEND" != sqlite ]; then
    sql "CREATE TABLE taken_held (id INTEGER)"
    run -1 --separate-stderr dblock --prefix taken_ schema up
    contains "$stderr" 0019_dblock
    contains "$stderr" "taken_held"
  fi
}

@test "--json: one object for the call" {
  dir=
  json=$(dblock --json --prefix json_ schema status)
  equal "$(field command) $(field ok) $(field scope) $(field dialect)" \
    "status true dblock $DBLOCK_TEST_BACKEND"
  equal "$(field migrations '#')" "$(all)"
  equal "$(field migrations 0 version) $(field migrations 0 state)" "$first pending"
  equal "$(field migrations 0 applied)" null
  json=$(dblock --json --prefix json_ schema up)
  equal "$(field role) $(field from) $(field to)" "runner 0 $last"
  equal "$(field migrations '#')" "$(all)"
  equal "$(field migrations 0 state)" applied
}

@test "50 at once apply each migration exactly once" {
  local i pids=()
  for ((i = 0; i < 50; i++)); do
    background dblock --call-timeout 60s --prefix fifty_ schema up \
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
  # A new SQLite file gets its tables by itself, so this makes one that is not new any more.
  dblock -q schema up
  run -78 --separate-stderr dblock --prefix missing_ run x -- echo no
  equal "$output" ""
  contains "$stderr" "dblock schema up"
  run -78 dblock --prefix missing_ ls
  run -78 dblock --prefix missing_ reap
  run -0 dblock --prefix missing_ --auto-migrate run x -- echo yes
  equal "$output" yes
  run -0 dblock --prefix missing_ run x -- echo yes
}

@test "without tables: it is said where, with which prefix, and by which command they are made there" {
  local schema=none_$$
  dblock -q schema up
  run -78 --separate-stderr dblock --prefix gone_ ls
  contains "$stderr" "tables of dblock (gone_*) are missing in "
  contains "$stderr" "run 'dblock schema up --prefix gone_'"
  case $DBLOCK_TEST_BACKEND in
  postgresql) contains "$stderr" " in schema public of postgresql://" ;;
  mysql)
    run -78 --separate-stderr dblock --schema "$schema" --prefix gone_ ls
    contains "$stderr" " in database $schema of mysql://"
    contains "$stderr" "run 'dblock schema up --schema $schema --prefix gone_'"
    ;;
  esac
}

@test "tables in another schema of a PostgreSQL database: --schema THAT, or the settings' key; not a second set of tables" {
  [ "$DBLOCK_TEST_BACKEND" = postgresql ] || return 0
  sql "CREATE SCHEMA first; CREATE SCHEMA second; CREATE SCHEMA third"
  dblock -q --schema second --prefix away_ schema up
  # The history of an application alone is not a set of our tables.
  mkdir "$BATS_TEST_TMPDIR/files"
  echo 'CREATE TABLE away_app (id integer);' >"$BATS_TEST_TMPDIR/files/0001_app.up.sql"
  dblock -q --schema third --prefix away_ migrate up --dir "$BATS_TEST_TMPDIR/files"
  run -78 --separate-stderr dblock --prefix away_ run x -- true
  contains "$stderr" "tables of dblock (away_*) are missing in schema public of postgresql://"
  contains "$stderr" "give --schema second"
  lacks "$stderr" "schema up"
  run -0 dblock --prefix away_ --schema second run x -- true
  # A settings file may set the prefix as well; the environment comes before it, and the option
  # before that.
  export DBLOCK_CONF=$BATS_TEST_TMPDIR/dblock.conf
  echo 'schema = second' >"$DBLOCK_CONF"
  run -0 dblock --prefix away_ run x -- true
  DBLOCK_SCHEMA=first run -78 --separate-stderr dblock --prefix away_ run x -- true
  contains "$stderr" "are missing in schema first of"
  DBLOCK_SCHEMA=first run -0 dblock --prefix away_ --schema second run x -- true
  DBLOCK_CONF=
  dblock -q --schema first --prefix away_ schema up
  run -78 --separate-stderr dblock --prefix away_ ls
  contains "$stderr" "give --schema first or second"
  run dblock --prefix away_ doctor
  contains "$output" "--schema first or second"
}

@test "tables of a newer dblock: one word of it on standard error, and it works" {
  local newer="the tables are of a newer dblock: version 9999, and this one knows"
  dblock -q --prefix new_ schema up
  run -0 --separate-stderr dblock --prefix new_ run x -- echo yes
  equal "$stderr" ""
  sql "INSERT INTO new_migration SELECT scope, 9999, 'future', kind, state, 9999, checksum, token_checksum, steps,
    step_begun, step_done, prefix_sum, started, finished, applied_by, tool, error
    FROM new_migration WHERE version = $last"
  run -0 --separate-stderr dblock --prefix new_ run x -- echo yes
  equal "$output" yes
  equal "$(grep -c "$newer $last; " <<<"$stderr")" 1
  run -0 --separate-stderr dblock --prefix new_ ls
  equal "$(grep -c "$newer" <<<"$stderr")" 1
  run -0 --separate-stderr dblock -q --prefix new_ run x -- echo yes
  equal "$stderr" ""
}

@test "prefixes are worlds of their own" {
  dblock -q --prefix one_ schema up
  dblock -q --prefix two_ schema up
  dblock --prefix one_ acquire same --lease 1h
  run -0 dblock --prefix two_ acquire -n same --lease 1h
  run -75 dblock --prefix one_ acquire -n same --lease 1h
}

@test "a prefix that is not an identifier is a usage error" {
  local prefix
  for prefix in 'a b' 'a;' "a'" 'a"' 'ä' '1a' 'a-b' '' "$(printf '%200s' x | tr ' ' x)"; do
    run -64 --separate-stderr dblock --prefix "$prefix" ls
    contains "$stderr" "dblock: ls: "
    run -2 dblock --prefix "$prefix" schema up
  done
}

@test "down: the last one, only if somebody says yes, and not while a lock is held" {
  dblock -q --prefix down_ schema up
  dblock --prefix down_ acquire held --lease 1h
  run -2 --separate-stderr dblock --prefix down_ schema down </dev/null
  contains "$stderr" "--yes"
  run -6 --separate-stderr dblock --prefix down_ schema down --all --yes
  contains "$stderr" "holds a lock"
  dblock --prefix down_ break held
  run -0 dblock --prefix down_ schema down --all --yes
  equal "${#lines[@]}" "$(all)"
  run -78 dblock --prefix down_ ls
}

@test "what to do next is a command of 'schema', with the prefix; verify, plan, baseline and repair are there too" {
  run -0 --separate-stderr dblock --prefix next_ schema plan
  equal "$(grep -c '^[0-9]' <<<"$output")" "$(all)"
  dblock -q --prefix next_ schema up
  run -0 dblock --prefix next_ schema verify
  sql "UPDATE next_migration SET checksum = 'x', token_checksum = 'x' WHERE version = $first"
  run -4 --separate-stderr dblock --prefix next_ schema verify
  contains "$stderr" "'dblock schema repair $first --rechecksum --prefix next_'"
  contains "$stderr" "run 'dblock schema verify --prefix next_'"
  lacks "$stderr" "dblock migrate"
  run -0 dblock --prefix next_ schema repair $first --rechecksum --yes
  run -0 dblock --prefix next_ schema verify
  run -4 --separate-stderr dblock --prefix next_ schema baseline $first --yes
  lacks "$stderr" "dblock migrate"
  run -2 --separate-stderr dblock --prefix next_ schema down --to 99 --yes
  contains "$stderr" "'dblock schema status --prefix next_'"
}

@test "schema plan --sql: a script that makes the tables" {
  dblock --prefix script_ schema plan --sql >"$BATS_TEST_TMPDIR/script"
  client <"$BATS_TEST_TMPDIR/script" >/dev/null
  run -0 --separate-stderr dblock --prefix script_ schema up
  equal "$output" ""
  run -0 dblock --prefix script_ run works -- echo yes
}

@test "schema is about the library's own tables only, whatever folders are there" {
  mkdir "$BATS_TEST_TMPDIR/migrations"
  cd "$BATS_TEST_TMPDIR"
  echo 'CREATE TABLE never (id INTEGER);' >migrations/0001_never.up.sql
  run -0 dblock --prefix alone_ schema up
  equal "${#lines[@]}" "$(all)"
  run -2 --separate-stderr dblock --prefix alone_ schema up --dir migrations
  contains "$stderr" "unknown option '--dir'"
}

# Leaves the tables as `down` does if it is killed before the first table is gone. (Other databases
# do it in one transaction.)
close_tables() {
  sed "s/dblock_/$1/g; s/^-- step/;/" "$BATS_TEST_DIRNAME/../../../sql/mysql/migrate/schema_close.sql" | client
}

@test "down that was stopped halfway, on MySQL: 78 and what that is; up opens the tables, tokens go on" {
  local token
  [ "$DBLOCK_TEST_BACKEND" = mysql ] || return 0
  dblock -q --prefix half_ schema up
  token=$(dblock --prefix half_ acquire a --lease 1h)
  dblock --prefix half_ release a "$token"
  close_tables half_
  close_tables half_
  for name in a new; do
    run -78 --separate-stderr dblock --prefix half_ run -n "$name" -- true
    contains "$stderr" "are closed: 'dblock schema down'"
    contains "$stderr" "run 'dblock schema up' to open them"
  done
  run -0 --separate-stderr dblock --prefix half_ schema up
  contains "$stderr" "nothing to do"
  (($(dblock --prefix half_ acquire a --lease 1h) > token))
  run -0 dblock --prefix half_ run -n new -- true
}
