#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# tests/migrate-cases.md, the list of the nasty cases, says the truth.

setup() {
  load ../kit
  list=$DBLOCK_SOURCE_DIR/tests/migrate-cases.md
}

# Tells whether there is a test NAME in FILE.
has_test() {
  case $1 in
  *.bats) grep -qFx "@test \"$2\" {" "$DBLOCK_SOURCE_DIR/$1" ;;
  *.c) grep -qE "cmocka_unit_test\($2\)" "$DBLOCK_SOURCE_DIR/$1" ;;
  *) [ -z "$2" ] && [ -e "$DBLOCK_SOURCE_DIR/$1" ] ;;
  esac
}

# Tells whether FILE runs on BACKEND, by its name, as the head of tests/CMakeLists.txt describes it.
runs_on() {
  case ${1##*/} in
  sqlite_* | postgresql_* | mysql_*) [[ ${1##*/} == "$2"_* ]] ;;
  remote_*) [ "$2" != sqlite ] ;;
  esac
}

# check LIST: prints what is wrong with it, a line each.
check() {
  local line backends file name backend number=0 answers=
  while IFS= read -r line; do
    if [[ $line =~ ^##\ ([0-9]+)\.\  ]]; then
      complete "$number" "$answers"
      ((BASH_REMATCH[1] == ++number)) || echo "case ${BASH_REMATCH[1]} is not number $number"
      answers=
    elif [[ $line =~ ^-\ ([a-z,\ ]+):\ (none:\ .+|\`(tests/[^\`]+)\`(:\ (.+))?)$ ]]; then
      backends=${BASH_REMATCH[1]} file=${BASH_REMATCH[3]} name=${BASH_REMATCH[5]}
      backends=${backends/all/sqlite, postgresql, mysql}
      answers+=" $backends"
      [ -z "$file" ] || has_test "$file" "$name" || echo "case $number: no test '$name' in $file"
      for backend in ${backends//,/}; do
        [ -z "$file" ] || runs_on "$file" "$backend" || echo "case $number: $file is not for $backend"
      done
    elif ((number > 0)) && [ -n "$line" ]; then
      echo "case $number: not understood: $line"
    fi
  done <"$1"
  complete "$number" "$answers"
  ((number == 25)) || echo "$number cases"
}

# complete NUMBER ANSWERS
complete() {
  local backend
  for backend in sqlite postgresql mysql; do
    (($1 == 0)) || [[ $2 == *$backend* ]] || echo "case $1 says nothing of $backend"
  done
}

@test "each nasty case has an answer for each database, and each test that it names exists" {
  run -0 check "$list"
  equal "$output" ""
}

@test "what is wrong with the list is found" {
  local bad=$BATS_TEST_TMPDIR/bad
  sed 's/: a_death$/: a_deaf/' "$list" >"$bad"
  run -0 check "$bad"
  equal "$output" "case 3: no test 'a_deaf' in tests/db/migrate/migrate_app_faults.c"
  sed '/^- sqlite, mysql: none: there is no such/d' "$list" >"$bad"
  run -0 check "$bad"
  equal "$output" $'case 6 says nothing of sqlite\ncase 6 says nothing of mysql'
  sed 's/dollar\.sql/dolar.sql/; s/^## 16/## 17/' "$list" >"$bad"
  run -0 check "$bad"
  contains "$output" "no test '' in tests/corpus/split/postgresql/dolar.sql"
  contains "$output" "case 17 is not number 16"
  sed 's/^- postgresql: \(`tests.db.migrate.remote_migrate.c`\)/- all: \1/' "$list" >"$bad"
  run -0 check "$bad"
  equal "$output" "case 6: tests/db/migrate/remote_migrate.c is not for sqlite"
  sed '/^## 25/,$d' "$list" >"$bad"
  run -0 check "$bad"
  equal "$output" "24 cases"
}
