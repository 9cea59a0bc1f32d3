#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate on servers: files that are run step by step, and servers that are not there.

setup() {
  load migrate
  with_dir
}

teardown() {
  end_background
}

@test "1: a file step by step: what stands is told, and up goes on there" {
  two_steps 0001_two "CREATE TABLE ${t}_one (id INTEGER)" "CREATE TABLE ${t}_two (id NONSENSE)"
  run -1 --separate-stderr migrate up
  contains "$stderr" "statement 2 of 2"
  contains "$stderr" "statement 1 stands"
  contains "$stderr" "repair 1 --forget"
  run -0 migrate status
  contains "$output" "failed (1 of 2)"
  run -5 migrate status --check
  run -1 --separate-stderr dblock --prefix "$prefix" --json migrate up --dir "$dir"
  json=$output
  equal "$(field error rolled_back) $(field migrations 0 state)" "false failed"
  equal "$(field migrations 0 mode) $(field migrations 0 step_done)" "steps 1"
  two_steps 0001_two "CREATE TABLE ${t}_one (id INTEGER)" "CREATE TABLE ${t}_two (id INTEGER)"
  run -0 --separate-stderr migrate up
  contains "$output" "applied 0001_two"
  equal "$(states)" "1 applied"
}

@test "5: what was done was edited since" {
  two_steps 0001_two "CREATE TABLE ${t}_one (id INTEGER)" "CREATE TABLE ${t}_two (id NONSENSE)"
  run -1 migrate up
  two_steps 0001_two "CREATE TABLE ${t}_other (id INTEGER)" "CREATE TABLE ${t}_two (id INTEGER)"
  run -5 --separate-stderr migrate up
  contains "$stderr" "repair 1 --applied"
  run -5 --separate-stderr migrate plan
}

@test "5: a statement in doubt, and both verdicts" {
  two_steps 0001_two "CREATE TABLE ${t}_one (id INTEGER)" "CREATE TABLE ${t}_two (id NONSENSE)"
  run -1 migrate up
  two_steps 0001_two "CREATE TABLE ${t}_one (id INTEGER)" "CREATE TABLE ${t}_two (id INTEGER)"
  # The row is as if the process had been killed while the server was at it.
  sql "UPDATE ${prefix}migration SET state = 'running', step_begun = 2 WHERE scope = 'app'"
  run -5 --separate-stderr migrate up
  contains "$stderr" "in doubt"
  contains "$stderr" "repair 1 --done"
  equal "$(states)" "1 in doubt"
  run -5 migrate status --check
  run -5 --separate-stderr migrate verify
  contains "$stderr" "in doubt: 0001_two"
  run -2 --separate-stderr migrate repair 1 --rechecksum --yes
  contains "$stderr" "does not fit"
  run -2 --separate-stderr migrate repair 1 --not-done </dev/null
  contains "$stderr" "--yes"
  equal "$(states)" "1 in doubt"
  run -0 --separate-stderr migrate repair 1 --not-done --yes
  contains "$stderr" "now:  0001_two: in doubt, 1 of 2 statements done"
  contains "$stderr" "then: 0001_two: stopped, 1 of 2 statements done"
  run -0 migrate up
  sql "SELECT * FROM ${t}_two"
  # This time the person gives the other answer.
  sql "UPDATE ${prefix}migration SET state = 'running', step_begun = 2, step_done = 1,
    prefix_sum = '$(sql "SELECT prefix_sum FROM ${prefix}migration WHERE scope = 'app'")'
    WHERE scope = 'app'"
  equal "$(states)" "1 in doubt"
  run -0 migrate repair 1 --done --yes
  run -0 migrate up
  equal "$(states)" "1 applied"
}

@test "7: no server, no such user, and no password in what is said" {
  local scheme=${DBLOCK_TEST_URL%%:*}
  up 0001_a "CREATE TABLE ${t}_a (id INTEGER);"
  local command
  for command in up down status verify plan "to 1" "baseline 1" "repair 1 --forget"; do
    # shellcheck disable=SC2086
    run -7 --separate-stderr dblock --prefix "$prefix" --json -u "$scheme://me:s3kr3t@127.0.0.1:1/x" \
      migrate $command --dir "$dir"
    lacks "$stderr$output" s3kr3t
    json=$output
    equal "$(field ok) $(field error code)" "false DBLOCK_E_UNAVAILABLE"
  done
}

@test "plan names what is done step by step, from where it would go on, and what it costs" {
  two_steps 0001_two "CREATE TABLE ${t}_one (id INTEGER)" "CREATE TABLE ${t}_two (id NONSENSE)"
  run -1 migrate up
  two_steps 0001_two "CREATE TABLE ${t}_one (id INTEGER)" "ALTER TABLE ${t}_one RENAME TO ${t}_three"
  run -0 migrate plan
  equal "${lines[0]}" "0001_two: 2 statements, step by step, from statement 2 on"
  # The table is there by now: it is not this plan that makes it.
  [[ ${lines[1]} == *"0001_two.up.sql:"?": rename-breaks: "* ]]
  # The rest of the file is applied by hand.
  migrate plan --sql >"$BATS_TEST_TMPDIR/script"
  client <"$BATS_TEST_TMPDIR/script"
  equal "$(states)" "1 applied"
  run -0 migrate up
  equal "$output" "dblock: migrate up: nothing to do: all migrations are applied"
}
