#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock metrics --listen: a server for scrapes.

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
  load kit
}

teardown() {
  end_background
}

@test "a scrape gets the format that it asks for" {
  serve
  ask "$get" 'Host: x'
  [[ $head == 'HTTP/1.1 200 OK'$'\n'* ]]
  contains "$head" 'Content-Type: text/plain; version=0.0.4; charset=utf-8'
  lacks "$body" '# UNIT'
  read_numbers text <<<"$body"
  has 1 up
  # As Prometheus asks.
  ask "$get" 'Accept: application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2'
  contains "$head" 'Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8'
  contains "$head" 'Vary: Accept'
  read_numbers <<<"$body"
  has 1 up
  ask "$get" 'Accept: application/openmetrics-text;q=0, text/plain'
  contains "$head" 'text/plain; version=0.0.4'
}

@test "HEAD is a GET without the body; other paths 404, other methods 405, else 400" {
  local size
  serve
  ask 'HEAD /metrics HTTP/1.1' 'Host: x'
  contains "$head" '200 OK'
  equal "$body" ""
  size=$(sed -n 's/^Content-Length: //p' <<<"$head")
  ((size > 1000))
  ask 'GET /metrics?x=y HTTP/1.0'
  contains "$head" '200 OK'
  ask 'GET http://there:1/metrics HTTP/1.1' 'Host: there'
  contains "$head" '200 OK'
  equal "$(sed -n 's/^Content-Length: //p' <<<"$head")" "$((${#body} + 1))" # $() took the last newline
  for path in / /metric /metrics/ /metrics/../x /; do
    ask "GET $path HTTP/1.1" 'Host: x'
    contains "$head" '404 Not Found'
    contains "$body" '/metrics'
  done
  ask 'POST /metrics HTTP/1.1' 'Host: x' 'Content-Length: 0'
  contains "$head" '405 Method Not Allowed'
  contains "$head" 'Allow: GET, HEAD'
  ask 'get /metrics HTTP/1.1'
  contains "$head" '405 '
  ask 'hello'
  contains "$head" '400 Bad Request'
  ask 'GET /metrics HTTP/2.0'
  contains "$head" '505 '
  ask "$get" "X: $(printf '%9000s' '')"
  contains "$head" '431 '
}

@test "who is slow keeps nobody, and is told so in the end; a crowd of them neither" {
  local i pids=()
  serve
  for i in $(seq 40); do
    ask_slowly 3>&- &
    pids+=($!)
  done
  wait_for eval '[ "$(ls /proc/'"$server"'/fd | wc -l)" -gt 30 ]'
  ask "$get"
  contains "$head" '200 OK'
  for i in "${pids[@]}"; do wait "$i"; done
  grep -q '408 Request Timeout' "$BATS_TEST_TMPDIR/slow"
  ask "$get"
  contains "$head" '200 OK'
}

# A request without its end.
ask_slowly() {
  /usr/bin/python3 -c '
import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
s.sendall(b"GET /metr")
sys.stdout.write(s.recv(65536).decode())' "$port" >>"$BATS_TEST_TMPDIR/slow"
}

@test "all who ask within a second get one snapshot" {
  dblock -q acquire old --lease 1h # its age is another one each time
  serve
  same() {
    ask "$get"
    local first=$body
    ask "$get"
    [ "$body" = "$first" ]
  }
  other_one() {
    ask "$get"
    [ "$body" != "$1" ]
  }
  wait_for same # on a slow machine a second may be over
  ask "$get"
  wait_for other_one "$body"
}

@test "TERM and INT end it with 0, and a socket in the file system is gone" {
  local to=$BATS_TEST_TMPDIR/socket
  serve
  kill -TERM "$server"
  ended "$server"
  equal "$code" 0
  dblock metrics --listen "unix:$to" 2>"$BATS_TEST_TMPDIR/log" 3>&- &
  server=$!
  ends_with_test "$server"
  wait_for grep -q "unix:$to" "$BATS_TEST_TMPDIR/log"
  ask "$get"
  contains "$head" '200 OK'
  run -74 --separate-stderr timeout 100 dblock metrics --listen "unix:$to"
  contains "$stderr" "cannot listen on $to"
  contains "$stderr" "choose another path"
  kill -TERM "$server"
  ended "$server"
  equal "$code" 0
  [ ! -e "$to" ]
}

@test "the socket of a server that was killed is taken over, another file is not" {
  local to=$BATS_TEST_TMPDIR/socket
  background dblock metrics --listen "unix:$to" 2>/dev/null
  wait_for test -S "$to"
  wait_for takes_signals "$started"
  kill -KILL "$started"
  ended "$started"
  [ -S "$to" ]
  background dblock metrics --listen "unix:$to" 2>"$BATS_TEST_TMPDIR/log"
  wait_for grep -q "unix:$to" "$BATS_TEST_TMPDIR/log"
  ask "$get"
  contains "$head" '200 OK'
  echo precious >"$BATS_TEST_TMPDIR/file"
  run -74 timeout 100 dblock metrics --listen "unix:$BATS_TEST_TMPDIR/file"
  equal "$(cat "$BATS_TEST_TMPDIR/file")" precious
}

@test "a port alone is of the loopback; one that is taken, and what is no address, is named" {
  local address
  background dblock metrics --listen 0 2>"$BATS_TEST_TMPDIR/log"
  wait_for grep -q 'http://127\.0\.0\.1:[1-9][0-9]*/metrics' "$BATS_TEST_TMPDIR/log"
  serve
  run -74 --separate-stderr timeout 100 dblock metrics --listen "$port"
  contains "$stderr" "cannot listen on $port: "
  contains "$stderr" "choose another port"
  for address in '' x 65536 -1 host: ::1:80 '[::1]' '[::1:80' 'unix:' 1.2.3.4:x; do
    run -64 --separate-stderr dblock metrics --listen "$address"
    contains "$stderr" "'$address' is no address; it is PORT, HOST:PORT"
  done
  run -64 dblock metrics --listen "unix:$(printf '%0200d' 0)"
  contains "$output" "at most 107 bytes"
  run -74 --separate-stderr dblock metrics --listen 192.0.2.1:0
  contains "$stderr" "not an address of this machine"
  run -64 dblock metrics --listne 1
  contains "$output" "unknown option '--listne'"
}

@test "a database that is away: 200 and dblock_up 0, said once; and then it is there again" {
  local folder=$BATS_TEST_TMPDIR/away
  serve -u "sqlite:$folder/locks.db"
  is_up() {
    ask "$get"
    read_numbers text <<<"$body"
    contains "$head" '200 OK'
    has "$1" up
  }
  is_up 0
  equal "$(value sessions state=alive)" ""
  # It tries again, and says nothing.
  local took
  took=$(value scrape_duration_seconds)
  wait_for eval 'is_up 0 && [ "$(value scrape_duration_seconds)" != "$took" ]'
  equal "$(grep -c "$folder" "$log")" 1
  mkdir "$folder"
  dblock -q -u "sqlite:$folder/locks.db" schema up
  wait_for is_up 1
  has 0 sessions state=alive
  grep -q 'can be read again' "$log"
}
