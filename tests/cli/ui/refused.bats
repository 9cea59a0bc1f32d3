#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Values that nobody can mean: each is refused in one line, which names it, with the code of
# docs/user/cli.md, and nothing is changed.

setup_file() {
  load ../kit
  with_tables
  dblock acquire there --lease 1h >/dev/null
}

setup() {
  load ../kit
  long=$(printf '%300s' '' | tr ' ' n)
  bytes=$'a\xff\xfeb'
}

# Prints all rows that are written, but sessions, which come and go.
all_rows() {
  sql "SELECT name, token, session, expires FROM dblock_lock ORDER BY name"
  sql "SELECT count(*) FROM dblock_queue"
  sql "SELECT count(*) FROM dblock_once"
  sql "SELECT count(*) FROM dblock_request"
  sql "SELECT count(*) FROM dblock_revocation"
}

# The message names a value that is allowed, behind the wrong one, or names the help. (The last of
# these are libpq's own words.)
next_step="^try 'dblock help|[^;]; [^ ]|: say HOST:PID|, at most [0-9]+ are allowed|invalid URI query parameter"

# refused CODE TEXT ARG...: expects that code, and one line with TEXT in it ("try 'dblock help ..'"
# may follow).
refused() {
  local code=$1 text=$2
  shift 2
  printf '%.100s\n' "dblock $*"
  run "-$code" --separate-stderr dblock "$@" </dev/null
  equal "$output" ""
  equal "$(grep -avc "^try 'dblock help" <<<"$stderr")" 1
  contains "$stderr" "dblock: "
  contains "$stderr" "$text"
  [ "$code" != 64 ] || grep -aqE "$next_step" <<<"$stderr" || {
    echo "what to do instead is missing: $stderr" >&2
    return 1
  }
}

@test "names: empty, too long, no UTF-8, control characters" {
  local before command name text
  before=$(all_rows)
  while read -r command; do
    for name in "" "$long" "$bytes" $'new\nline' $'\x01'; do
      case $name in
      '') text=empty ;;
      n*n) text="300 bytes" ;;
      a*) text=UTF-8 ;;
      *) text="control character" ;;
      esac
      [ "$command" != drain ] || text="client"
      refused 64 "$text" "$command" "$name"
    done
  done <<-'END'
	show
	request
	break
	leader
	drain
	END
  for name in "" "$long" "$bytes" $'new\nline'; do
    refused 64 "" run "$name" -- true
    refused 64 "" run x -a "$name" -- true
    refused 64 "" run x --once "$name" -- true
    refused 64 "" elect "$name" -- true
    refused 64 "" acquire "$name" --lease 1m
    refused 64 "" renew "$name" 1 --lease 1m
    refused 64 "" release "$name" 1
    refused 64 "prefix '" --prefix "$name" ls
    refused 64 "schema '" --schema "$name" ls
    refused 64 "unknown command" "$name"
    refused 64 "is not a token" release there "$name"
    refused 64 "is not a token" break there --token "$name"
    refused 64 "--ttl: " run x --ttl "$name" -- true
    refused 64 "--wait: " run x -w "$name" -- true
    refused 64 "--permits" run x -p "$name" -- true
    refused 64 "--on-request" run x --on-request "$name" -- true
    refused 64 "--conflict-exit-code" run x -E "$name" -- true
  done
  refused 64 UTF-8 run x --value "$bytes" -- true
  refused 64 UTF-8 request there --reason "$bytes"
  equal "$(all_rows)" "$before"
}

@test "numbers: out of range, or none" {
  local before words
  before=$(all_rows)
  while read -r words; do
    refused 64 "${words%%|*}" ${words#*|}
  done <<-'END'
	--ttl|run --ttl 1ms x true
	--ttl|run --ttl 100d x true
	--lease|run --lease 1ms x true
	--lease|run --lease 99999999d x true
	--wait: '-1' is negative|run -w -1 x true
	permits|run -p 0/3 x true
	permits|run -p 4/3 x true
	permits|run -p 3 x true
	permits|run -p 1/99999999999999999999 x true
	--conflict-exit-code|run -E 256 x true
	--conflict-exit-code|run -E -1 x true
	--kill-after|run --kill-after -1 x true
	--call-timeout|run --call-timeout 0 x true
	--call-timeout|run --call-timeout 99d x true
	--durability: 'nix'|run --durability nix x true
	--lease|acquire x --lease 0
	--lease|renew there 5 --lease 1ms
	'0' is not a token|renew there 0 --lease 1m
	'99999999999999999999' is not a token|release there 99999999999999999999
	--every|reap --every 0
	--every|leader there --every 0
	HOST:PID|drain h:0
	HOST:PID|drain h:99999999999999999999
	END
  equal "$(all_rows)" "$before"
}

@test "words: too few, too many, unknown, or that contradict each other" {
  local before words
  before=$(all_rows)
  while read -r words; do
    refused 64 "" $words
  done <<-'END'
	run
	run x
	run x --
	run --nix x true
	run -n -w 5 x true
	run -s --update x true
	run -s -p 1/2 x true
	run -a x x true
	run -F x true
	run --on-request KILL x true
	run --lease 1s --at-least 1h x true
	acquire
	acquire x y
	acquire x
	renew there
	release there
	show a b
	ls a b
	ls -a --waiters
	request a b
	break a b
	reap x
	elect x
	leader a b
	doctor x
	version x
	nix
	END
  equal "$(all_rows)" "$before"
  for words in "schema nix" "schema up x" "schema up --to x" "schema up --to 99" "schema down -n 0 --yes" \
    "schema repair 1" "schema repair 99 --done --yes" "schema baseline" "migrate nix" "migrate up --dir /nix"; do
    run -2 --separate-stderr dblock $words </dev/null
    equal "$output" ""
    [ -n "$stderr" ]
  done
  equal "$(all_rows)" "$before"
}

@test "what is not there: 1, and its name; a command that cannot be run: 126, 127" {
  refused 1 "'nope'" show nope
  refused 1 "'nope'" release nope 5
  refused 1 "'nope'" renew nope 5 --lease 1m
  refused 1 "'nope'" break nope
  refused 1 "'nope'" request nope
  refused 1 "process 5 on host 'h'" drain h:5
  refused 127 /no/such run x -- /no/such
  refused 126 /tmp run x -- /tmp
}

@test "URLs that lead nowhere: 64, and no password is said" {
  local url
  for url in foo http://h oracle://h/x sqlite: mysql:// mysql://h mysql:root:s3kr3t@h/d mysql://root:s3kr3t \
    mysql://root:s3kr3t/d mysql://h:99999/x mysql://h:abc/x "mysql://h/x?colour=red" postgresql://h:99999/x \
    "postgresql://h/x?colour=red" "postgresql://h/x?port=abc" postgresql://%zz@h/x sqlite:/no/such/folder/x \
    sqlite:/dev/null "sqlite:/tmp/$long"; do
    refused 64 "" -u "$url" ls
    lacks "$stderr" s3kr3t
    refused 64 "" -u "$url" run x -- true
    run -2 dblock -u "$url" schema up
    lacks "$output" s3kr3t
    run -2 dblock -u "$url" doctor
    lacks "$output" s3kr3t
  done
  refused 64 "name is too long" -u "sqlite:/tmp/$long" ls
  refused 74 "is not a database" -u sqlite:/etc/passwd ls
}

@test "a server's database, user, password or port that is wrong: the code, and what to do" {
  local tcp=${DBLOCK_TEST_TCP_URL-} user=wrong_$$ them
  [ "$DBLOCK_TEST_BACKEND" != sqlite ] || return 0
  them=$(sed -E "s#//[^@]*@#//$user:s3kr3t@#" <<<"$tcp")
  refused 64 "; create the database, or correct the URL" -u "${tcp%/*}/no_such_database" ls
  refused 64 no_such_database -u "${tcp%/*}/no_such_database" run -w 1 x -- true
  refused 77 "; check user, password" -u "$them" ls
  refused 77 "$user" -u "$them" run x -- true
  lacks "$stderr" s3kr3t
  refused 69 127.0.0.1 -u "$(sed -E 's#:[0-9]+/#:1/#' <<<"$them")" acquire x --lease 1m
  contains "${stderr,,}" "is the server running"
  lacks "$stderr" s3kr3t
}

# This used to be another line, and came even with errors that have nothing to do with the URL.
@test "where the URL is from stands in the same line" {
  refused 64 "(the URL is that of \$DBLOCK_URL)" --prefix 1 ls
  run -64 --separate-stderr dblock -u "$DBLOCK_URL" --prefix 1 ls
  lacks "$stderr" "the URL is that of"
}
