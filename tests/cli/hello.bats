# SPDX-License-Identifier: MIT
# The example of the README, on each database.

@test "hello takes its lock, and says with which token" {
  dblock -u "$DBLOCK_TEST_URL" schema up
  run "$DBLOCK_BUILD_DIR/examples/hello" "$DBLOCK_TEST_URL"
  [ "$status" -eq 0 ]
  [[ "$output" =~ ^"Hello! The lock 'hello' is mine, with token "[1-9][0-9]*\.$ ]]
}

@test "hello says who holds it when it is taken" {
  dblock -u "$DBLOCK_TEST_URL" schema up
  dblock -u "$DBLOCK_TEST_URL" acquire hello --lease 1m
  run "$DBLOCK_BUILD_DIR/examples/hello" "$DBLOCK_TEST_URL"
  [ "$status" -eq 1 ]
  [[ "$output" == "hello: "*"hello"* ]]
}
