# SPDX-License-Identifier: MIT
# The example of the README, and its brother in C++, on each database. The tests share it.

hello() {
  run "$DBLOCK_BUILD_DIR/examples/hello" "$DBLOCK_TEST_URL"
}

# The build leaves it out where there is no C++ compiler.
cpp_hello() {
  [ -x "$DBLOCK_BUILD_DIR/examples/cpp_hello" ] || skip "no C++ compiler"
  run "$DBLOCK_BUILD_DIR/examples/cpp_hello" "$DBLOCK_TEST_URL"
}

@test "hello in C++ says what is missing" {
  [ "$DBLOCK_TEST_BACKEND" != sqlite ] || skip "an empty file gets its tables"
  cpp_hello
  [ "$status" -eq 1 ]
  [[ "$output" == "hello: "*"dblock schema up"* ]]
}

@test "hello takes its lock, and says with which token" {
  dblock -u "$DBLOCK_TEST_URL" schema up
  hello
  [ "$status" -eq 0 ]
  [[ "$output" =~ ^"Hello! The lock 'hello' is mine, with token "[1-9][0-9]*\.$ ]]
}

@test "hello in C++ takes its lock, and gives it back" {
  dblock -u "$DBLOCK_TEST_URL" schema up
  cpp_hello
  [ "$status" -eq 0 ]
  [[ "$output" =~ ^"Hello! 'hello' is mine, with token "[1-9][0-9]*\.$ ]]
  cpp_hello
  [ "$status" -eq 0 ]
}

# The last ones: it stays taken.
@test "hello says who holds it when it is taken" {
  dblock -u "$DBLOCK_TEST_URL" schema up
  dblock -u "$DBLOCK_TEST_URL" acquire hello --lease 1h
  hello
  [ "$status" -eq 1 ]
  [[ "$output" == "hello: "*"hello"* ]]
}

@test "hello in C++ does not say hello when it is taken" {
  cpp_hello
  [ "$status" -eq 1 ]
  [ "$output" = "hello: somebody else says hello" ]
}
