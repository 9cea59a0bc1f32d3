#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The server does not exist, or refuses. (The other _server.bats tests the same.)

setup() {
  load ../kit
  # HOST:PORT/DATABASE
  where=${DBLOCK_TEST_TCP_URL#*@}
  where=${where%%\?*}
}

@test "nobody listens: 69, and no password in the message" {
  run -69 --separate-stderr dblock -u "postgresql://me:s3kr3t@127.0.0.1:1/x" run x -- touch "$BATS_TEST_TMPDIR/ran"
  contains "$stderr" "dblock: run: "
  contains "$stderr" 127.0.0.1
  lacks "$stderr" s3kr3t
  [ ! -e "$BATS_TEST_TMPDIR/ran" ]
  run -7 dblock -u "postgresql://me:s3kr3t@127.0.0.1:1/x" schema up
  lacks "$output" s3kr3t
  run -69 dblock -u "postgresql://me:s3kr3t@127.0.0.1:1/x" reap --every 1s
}

@test "a login that is refused: 77 (migrate: 7), and no password in the message" {
  run -77 --separate-stderr dblock -u "postgresql://nobody_such:s3kr3t@$where" ls
  contains "$stderr" nobody_such
  lacks "$stderr" s3kr3t
  run -7 --separate-stderr dblock -u "postgresql://nobody_such:s3kr3t@$where" schema up
  lacks "$stderr" s3kr3t
  run -77 --separate-stderr dblock -u "postgresql://nobody_such:s3%6br3t@$where" ls
  lacks "$stderr" s3kr3t
  lacks "$stderr" s3%6br3t
}

@test "a server never gets tables without being asked: 78" {
  run -78 --separate-stderr dblock run x -- touch "$BATS_TEST_TMPDIR/ran"
  contains "$stderr" "dblock schema up"
  [ ! -e "$BATS_TEST_TMPDIR/ran" ]
}

@test "an unknown parameter of the URL is named: 64" {
  run -64 --separate-stderr dblock -u "postgresql://me@$where?colour=red" ls
  contains "$stderr" colour
}
