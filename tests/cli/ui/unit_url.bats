#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# URLs that are wrong in themselves.

setup() {
  load ../kit
  cd "$BATS_TEST_TMPDIR"
}

@test "unknown schemes, and what is no URL" {
  local url
  for url in nonsense: redis://localhost/0 oracle://x file:x.db x ''; do
    run -64 --separate-stderr dblock -u "$url" ls
    equal "$output" ""
    contains "$stderr" "dblock: ls: "
    run -2 dblock -u "$url" schema up
    run -2 dblock -u "$url" schema status
    run -64 dblock -u "$url" run x -- touch ran
  done
  [ ! -e ran ]
  run -64 --separate-stderr dblock -u redis://localhost/0 ls
  contains "$stderr" "redis"
}

@test "a password never appears, whatever is wrong with its URL" {
  local url
  for url in 'redis://me:s3kr3t@localhost/0' 'postgresql://me:s3kr3t@127.0.0.1:1/x?nonsense=1' \
    'mysql://me:s3kr3t@127.0.0.1:1/x?nonsense=1' 'mysql://me:s3kr3t@127.0.0.1:notaport/x' \
    'postgresql://me:s3kr3t@127.0.0.1:notaport/x' 'mysql://me:s3kr3t@127.0.0.1:1/x?ssl-mode=odd' \
    'mysql:root:s3kr3t@h/d' 'mysql://root:s3kr3t/d' 'mysql://root:s3kr3t' 'postgresql:root:s3kr3t@h/d' \
    'postgresql://root:s3kr3t/d' 'mysql://root:s3kr3t@tcp(h:3306)/d' 'pgx5://me:s3kr3t@h/d' \
    'postgresql://h/d?password=s3kr3t&x' 'postgresql://h/d?password=a&s3kr3t=c' 'mysql://h/d?password=a&s3kr3t=c' \
    'postgresql://me:s3kr3t@[::1' 'mysql://me:s3kr3t@127.0.0.1:99999/x' 'x://me:s3kr3t'; do
    run --separate-stderr dblock -u "$url" ls
    [ "$status" -ge 64 ] && [ "$status" -le 78 ]
    lacks "$stderr$output" s3kr3t
    [ -n "$stderr" ]
  done
}

@test "URLs as other tools write them: what to write instead" {
  local url hint
  while read -r url hint; do
    run -64 --separate-stderr dblock -u "$url" ls
    contains "$stderr" "$hint"
  done <<-END
	pgx5://me@h/d write postgresql://
	pgx://me@h/d write postgresql://
	cockroachdb://me:pw@h:26257/d write postgresql://
	postgresql+psycopg2://me:pw@h/d leave out '+psycopg2'
	mysql+pymysql://me:pw@h/d leave out '+pymysql'
	sqlite3://x.db write sqlite:PATH
	sqlite3:x.db write sqlite:PATH
	file:x.db write sqlite:PATH
	mysql://me:pw@tcp(h:3306)/d without tcp( )
	mysql:me@h/d there is no //
	jdbc:mysql://h/d?user=me&password=pw leave that out, and write user:password@
	jdbc:postgresql://me:pw@h/d leave that out, and write user:password@
	root:pw@tcp(h:3306)/d mysql://user:password@host:port/database
	root:pw@unix(/run/s)/d ?socket=PATH
	END
}
