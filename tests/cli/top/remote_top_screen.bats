#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock top on a terminal, while a server does not answer.

setup() {
  load ../kit
  load kit
  load ../relay
  with_tables
  relay
  DBLOCK_URL=$url
  with_terminal
}

teardown() {
  end_terminal
}

# failed AT_LEAST: is a failure told, and that so many seconds have passed since the last look?
failed() {
  local line
  line=$(screen | grep '^No look for ') || return 1
  [[ $line != *"not answered yet"* && $line =~ ^No\ look\ for\ ([0-9]+)(\.[0-9]+)?(s|m([0-9]+s)?): ]] || return 1
  [[ ${BASH_REMATCH[3]} != s ]] || [ "${BASH_REMATCH[1]}" -ge "$1" ]
}

@test "a look that is overdue is told before it fails, and how long ago the last one was" {
  dblock acquire held --lease 1h
  terminal 80 24
  start_top -d 100ms --call-timeout "$(slowly 3)"
  shows '^held '
  kill -STOP "$relay"
  wait_for shows '^No look for .*: the database has not answered yet'
  shows '^held '
  # The first failure comes when the look has taken the whole timeout.
  wait_for eval 'screen | grep "^No look for " | grep -qv "not answered yet"'
  failed 3
  kill -CONT "$relay"
  wait_for eval '! shows "^No look"'
  shows '^held '
}
