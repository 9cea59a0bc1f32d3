#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Topics that have messages, and their keys that have failed, are offered to shells.

setup_file() {
  load ../kit
  with_tables
  outbox_put orders customer/17 x
  outbox_put orders customer/18 x
  outbox_put 'old orders' k x
  outbox_put orders delivered x
  outbox_put orders -x x
  outbox_put other customer/19 x
  dblock -q outbox run orders --drain --tries 1 -- sh -c '[ "$DBLOCK_KEY" = delivered ]' || true
}

setup() {
  load ../kit
}

# offers WANTED WORD...: the whole answer, its lines joined by commas.
offers() {
  local wanted=$1
  shift
  equal "$(dblock complete bash -- dblock outbox "$@" | paste -sd ,)" "$wanted"
}

@test "topics" {
  offers 'words,old orders,orders,other' ls ''
  offers words,orders ls or
  offers words,orders run --drain ord
  offers words,orders show ord
  offers words drop nonsense
}

@test "keys of the topic that have failed" {
  offers words,customer/17,customer/18 show orders cust
  offers words,customer/17,customer/18 retry orders ''
  offers words,customer/18 drop orders customer/18
  offers words drop orders customer/18 ''
  offers words show other ''
}

@test "the command of run, and the group's own commands" {
  offers 'command 5' run orders -- s
  equal "$(dblock complete bash -- dblock outbox '' | cut -f 1 | paste -sd ,)" words,run,ls,show,retry,drop
}
