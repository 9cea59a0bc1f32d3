#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock doctor: what it prints, and its exit codes.

setup() {
  load kit
}

# The tests' throw-away servers do not sync to the disk, which is a warning.
fit() {
  if [ "$DBLOCK_TEST_BACKEND" = sqlite ]; then echo 0; else echo 1; fi
}

@test "a database that is fit: one line for each finding" {
  with_tables
  run "-$(fit)" --separate-stderr dblock doctor
  equal "$stderr" ""
  [[ ${lines[0]} =~ ^ok\ +server\ +[A-Z][A-Za-z]+\ [0-9]+\. ]]
  [[ $output =~ ok\ +schema\ +all\ [0-9]+\ migrations\ are\ applied ]]
  [[ $output =~ ok\ +rights ]]
  [[ $output =~ ok\ +clock ]]
  lacks "$output" wrong
}

@test "each warning has a remedy right below it" {
  with_tables
  run "-$(fit)" --separate-stderr dblock doctor
  awk '/^(warning|wrong) / { bad = 1; next }
    bad { if ($1 != "->") exit 1; bad = 0 }
    END { exit bad }' <<<"$output"
  equal "$(grep -cE '^(warning|wrong) ' <<<"$output" || true)" \
    "$(grep -cE '^ +-> ' <<<"$output" || true)"
}

@test "tables that are missing: 2, and what to do" {
  with_tables
  run -2 --separate-stderr dblock --prefix missing_ doctor
  [[ $output =~ wrong\ +schema\ +the\ tables\ of\ dblock\ are\ not\ there ]]
  contains "$output" "-> run 'dblock schema up'"
  # The doctor has changed nothing by looking.
  run -2 dblock --prefix missing_ doctor
  run -78 dblock --prefix missing_ ls
}

@test "--json: one object for each finding" {
  with_tables
  run "-$(fit)" --separate-stderr dblock --json doctor
  local line
  for line in "${lines[@]}"; do
    [[ $line =~ ^\{\"severity\":\"(ok|warning|wrong)\",\"topic\":\"[a-z]+\",\"text\":\".+\",\"remedy\":\".*\"\}$ ]]
  done
  contains "$output" '"topic":"schema","text":"all '
  run -2 dblock --json --prefix missing_ doctor
  contains "$output" '"severity":"wrong","topic":"schema"'
}

@test "-q: only what is not well" {
  with_tables
  run "-$(fit)" --separate-stderr dblock -q doctor
  lacks "$output" "ok "
  run -2 --separate-stderr dblock -q --prefix missing_ doctor
  contains "$output" "wrong"
  lacks "$output" "ok "
}

@test "a database that cannot be looked at is wrong: 2, with the usual message" {
  local url
  case $DBLOCK_TEST_BACKEND in
  sqlite) url=sqlite:/nowhere/at/all.db ;;
  *) url=$DBLOCK_TEST_BACKEND://me:s3kr3t@127.0.0.1:1/x ;;
  esac
  run -2 --separate-stderr dblock -u "$url" doctor
  equal "$output" ""
  contains "$stderr" "dblock: doctor: "
  lacks "$stderr" s3kr3t
  run -2 --separate-stderr dblock -u "$url" --json doctor
  contains "$output" '{"severity":"wrong","topic":"connection","text":"'
  lacks "$output" s3kr3t
}

@test "the help says what the exit codes are" {
  run -0 dblock help doctor
  contains "$output" "0 if all is well, 1 if there are warnings, 2 if something is wrong"
}
