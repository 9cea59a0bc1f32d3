#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock outbox run on a terminal, which sends ^C to all that is in front.

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
  cd "$BATS_TEST_TMPDIR"
}

teardown() {
  end_background
}

# Naive: it is passed on, too, and many a command takes the second one for "at once".
@test "^C reaches the command once, and what that makes of it counts" {
  outbox_put t k x
  cat >slow.sh <<'COMMAND'
trap 'echo INT >>got' INT
echo >up
until [ -e go ]; do :; done
COMMAND
  keys() {
    wait_for test -e up
    printf '\003'
    wait_for test -s got
    sleep 0.2 # for a second one, which should not come
    touch go
    wait_for test -s code
  }
  # shellcheck disable=SC2016 # the terminal's
  keys 3>&- | timeout --foreground "$(slowly 80)" script -qfc \
    'bash -c "trap : INT; dblock outbox run t -- bash slow.sh; echo \$? >code"' screen >/dev/null 3>&-
  equal "$(cat code)" 130
  equal "$(cat got)" INT
  equal "$(sql 'SELECT count(*) FROM dblock_outbox')" 0
}
