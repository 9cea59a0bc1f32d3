#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Many processes at once, and a runner that is killed or stopped (cases 1, 3 and 4 of
# tests/migrate-cases.md).

setup() {
  load migrate
  with_dir
}

teardown() {
  end_background
}

# create NAME [SECONDS]: prints a statement that makes a table, and takes a while: on a server so long.
create() {
  case $DBLOCK_TEST_BACKEND in
  sqlite)
    echo "CREATE TABLE $1 AS WITH RECURSIVE n(i) AS" \
      "(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400000) SELECT count(*) AS i FROM n;"
    ;;
  postgresql) echo "CREATE TABLE $1 AS SELECT 1 AS i FROM pg_sleep(${2-0.2});" ;;
  mysql) echo "CREATE TABLE $1 AS SELECT SLEEP(${2-0.2}) AS i;" ;;
  esac
}

# This runs in the background, and becomes the program itself.
start_one() {
  exec dblock -q --json --prefix "$prefix" migrate up --dir "$dir" >"$BATS_TEST_TMPDIR/said.$1"
}

# A file that is run twice fails: its table exists.
@test "fifty at once on three slow files: each once, all exit 0" {
  local i runner=0 applied=0 pids=()
  for i in 1 2 3; do
    up 000${i}_slow "$(create "${t}_$i")"
  done
  for i in {1..50}; do
    background start_one "$i"
    pids+=("$started")
  done
  for i in {1..50}; do
    ended "${pids[i - 1]}"
    json=$(cat "$BATS_TEST_TMPDIR/said.$i")
    equal "$code:$json" "0:$json"
    [ "$(field role)" != runner ] || runner=$((runner + 1))
    applied=$((applied + $(field migrations '#')))
  done
  equal "$applied" 3
  # On SQLite several may share the work: the only lock there ends with each file (docs/user/migrations.md).
  [ "$DBLOCK_TEST_BACKEND" = sqlite ] || equal "$runner" 1
  equal "$(states)" "1 applied, 2 applied, 3 applied"
}

# is_there TABLE
is_there() {
  sql "SELECT 1 FROM $1 WHERE 1 = 0" >/dev/null 2>&1
}

# A person checks whether the statement in doubt took effect, and says so.
look_and_repair() {
  local step
  [[ $1 =~ statement\ ([0-9])\ of ]]
  step=${BASH_REMATCH[1]}
  if is_there "${t}_$step"; then
    run -0 migrate repair 1 --done --yes
  else
    run -0 migrate repair 1 --not-done --yes
  fi
}

@test "a runner that is killed: the next one ends in the same schema, or says what is in doubt" {
  local at i
  for at in 05 15 25 40 55 65 80 95; do
    t=k$at
    prefix=k${at}_
    up 0001_slow "$(for i in 1 2 3 4; do create "${t}_$i"; done)"
    background start_one "$at"
    sleep "0.$at" # wherever that is: any place will do
    kill -KILL "$started" || true # or it was over
    ended "$started"
    run --separate-stderr migrate up
    if [ "$status" -eq 5 ]; then
      look_and_repair "$stderr"
      run --separate-stderr migrate up
    fi
    equal "$status:$stderr" "0:$stderr"
    equal "$(states)" "1 applied"
    for i in 1 2 3 4; do
      is_there "${t}_$i"
    done
  done
}

# is_at_work [TABLE]: tells whether the runner is in the middle of a statement (that makes it).
is_at_work() {
  local busy=
  case $DBLOCK_TEST_BACKEND in
  sqlite)
    ! sqlite3 -batch "${DBLOCK_TEST_URL#sqlite://}" 'BEGIN IMMEDIATE; ROLLBACK' 2>/dev/null
    return
    ;;
  postgresql) busy="pg_stat_activity WHERE state = 'active' AND query" ;;
  mysql) busy="information_schema.processlist WHERE info" ;;
  esac
  [ "$(sql "SELECT count(*) FROM $busy LIKE 'CREATE TABLE ${t}_${1-}%'")" != 0 ]
}

# Limits for how long others may be idle, which do not hold for the runner. (MariaDB has them only
# for all of the server: so its file says what holds for it.)
limits() {
  [ "$DBLOCK_TEST_BACKEND" = postgresql ] || return 0
  for_database "SET idle_in_transaction_session_timeout = '300ms'"
  [ "$DBLOCK_TEST_POSTGRESQL" -lt 14 ] || for_database "SET idle_session_timeout = '300ms'"
}

no_limits() {
  [ "$DBLOCK_TEST_BACKEND" != postgresql ] || for_database "RESET ALL"
}

for_database() {
  local name what
  name=$(sql "SELECT current_database()")
  for what; do
    sql "ALTER DATABASE $name $what"
  done
}

limits_of_the_session() {
  [ "$DBLOCK_TEST_BACKEND" != mysql ] ||
    echo "CREATE TABLE ${t}_limits AS SELECT @@wait_timeout /*M! + @@idle_transaction_timeout */ AS i;"
}

@test "a runner that is stopped: who waits is told in time, and it ends its work when it goes on" {
  # Long enough to be met, however seldom this machine comes to look.
  up 0001_slow "$(for i in 1 2 3 4; do create "${t}_$i" "${DBLOCK_TEST_SLOWNESS-1}"; done; limits_of_the_session)"
  limits
  background start_one stopped
  wait_for is_at_work
  kill -STOP "$started"
  run -6 --separate-stderr migrate up --wait 1500ms
  contains "$stderr" "another"
  kill -CONT "$started"
  ended "$started"
  no_limits
  equal "$code" 0
  equal "$(states)" "1 applied"
  [ "$DBLOCK_TEST_BACKEND" != mysql ] || equal "$(sql "SELECT i FROM ${t}_limits")" 28800
}

# Prints a statement that takes as long as it is let.
endless() {
  case $DBLOCK_TEST_BACKEND in
  sqlite)
    echo "CREATE TABLE ${t}_2 AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)" \
      "SELECT count(*) AS i FROM n;"
    ;;
  postgresql) echo "CREATE TABLE ${t}_2 AS SELECT 1 AS i FROM pg_sleep(600);" ;;
  mysql) echo "CREATE TABLE ${t}_2 AS SELECT SLEEP(600) AS i;" ;;
  esac
}

# Tells whether the runner is in the endless statement. On SQLite nobody else can see that, so half
# a second of CPU (in hundredths) tells: all the rest takes little.
is_in_the_endless() {
  local stat
  [ "$DBLOCK_TEST_BACKEND" = sqlite ] || { is_at_work 2; return; }
  stat=$(sed 's/.*) //' "/proc/$started/stat")
  read -ra stat <<<"$stat"
  ((stat[11] + stat[12] > 50))
}

@test "a second TERM ends it at once, within a statement; the next one goes on" {
  [ "${DBLOCK_TEST_POSTGRESQL-14}" -ge 14 ] || skip "before PostgreSQL 14 a server does not look for its client"
  # On SQLite no other file comes before it: see above.
  up 0001_long "$([ "$DBLOCK_TEST_BACKEND" = sqlite ] || create "${t}_1")
$(endless)"
  background run_loudly
  wait_for is_in_the_endless
  kill -TERM "$started"
  wait_for grep -q "stopping before the next statement" "$BATS_TEST_TMPDIR/err"
  alive "$started"
  kill -TERM "$started"
  ended "$started"
  equal "$code" 143
  up 0001_long "$(create "${t}_1")
$(create "${t}_2")"
  # The server has to notice that the client is gone, and then gives up the statement.
  run --separate-stderr migrate up --wait "$(slowly 50)"
  if [ "$DBLOCK_TEST_BACKEND" = mysql ]; then
    equal "$status" 5
    look_and_repair "$stderr"
    run --separate-stderr migrate up
  fi
  equal "$status:$stderr" "0:$stderr"
  is_there "${t}_1"
  is_there "${t}_2"
  equal "$(states)" "1 applied"
}

run_loudly() {
  exec dblock --prefix "$prefix" migrate up --dir "$dir" 2>"$BATS_TEST_TMPDIR/err"
}
