#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Pools, their members, and locks are offered to shells.

setup_file() {
  load ../kit
  with_tables
  dblock pool add t-pool t-1 t-2
  dblock pool add t-pool2 t-3
  dblock run t-lock -- true
}

setup() {
  load ../kit
}

# offers WANTED WORD...: the whole answer, its lines joined by commas.
offers() {
  local wanted=$1
  shift
  equal "$(dblock complete bash -- dblock pool "$@" | paste -sd ,)" "$wanted"
}

@test "pools" {
  offers words,t-pool,t-pool2 ls t-
  offers words,t-pool2 drain t-pool2
}

@test "members, again and again; who is added is a lock" {
  offers words,t-1,t-2 drain t-pool ''
  offers words,t-2 remove t-pool t-1 t-2
  offers words drain t-pool nonsense
  offers words,t-lock add t-pool t-1 t-l
  offers words,t-lock resize t-l
}

@test "the group's own commands" {
  equal "$(dblock complete bash -- dblock pool '' | cut -f 1 | paste -sd ,)" words,ls,add,drain,remove,resize
}
