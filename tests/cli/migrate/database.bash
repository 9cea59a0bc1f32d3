# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Tests of `dblock migrate wait`, `create` and `drop` share these: each has a database of its own, $url, beside
# the file's.
load migrate

with_database()
{
  name=db${$}_$BATS_TEST_NUMBER
  case $DBLOCK_TEST_BACKEND in
  sqlite) url=sqlite:$BATS_TEST_TMPDIR/$name ;;
  *) url=$(named "$name") ;;
  esac
  export DBLOCK_URL=$url
}

without_database()
{
  end_background
  case $DBLOCK_TEST_BACKEND in
  postgresql) sql "DROP DATABASE IF EXISTS \"$name\" WITH (FORCE)" ;;
  mysql) sql "DROP DATABASE IF EXISTS \`$name\`" ;;
  esac
}

# named NAME [URL]: the URL of a database of that name.
named()
{
  local of=${2-$DBLOCK_TEST_URL} query=
  [[ $of != *\?* ]] || query="?${of#*\?}"
  of=${of%%\?*}
  echo "${of%/*}/$1$query"
}

is_file()
{
  [ "$DBLOCK_TEST_BACKEND" = sqlite ]
}

# uses: keeps a connection to the test's database open until the test ends.
uses()
{
  local pipe=$BATS_TEST_TMPDIR/uses
  mkfifo "$pipe"
  exec {user}<>"$pipe"
  DBLOCK_TEST_URL=${url/sqlite:/sqlite://} background use "$pipe" >"$BATS_TEST_TMPDIR/used"
  is_file && echo 'SELECT count(*) FROM sqlite_master;' >&"$user"
  echo "SELECT 'open';" >&"$user"
  wait_for grep -q open "$BATS_TEST_TMPDIR/used"
}

use()
{
  exec <"$1" {user}>&-
  client
}

# A user who may log in, and no more: $theirs is the URL of NAME for it.
stranger()
{
  who=u${$}_$BATS_TEST_NUMBER
  case $DBLOCK_TEST_BACKEND in
  postgresql)
    sql "CREATE ROLE $who LOGIN PASSWORD 's3kr3t'"
    theirs=$(named "$1" "${DBLOCK_TEST_TCP_URL/postgres@/$who:s3kr3t@}")
    ;;
  mysql)
    sql "CREATE USER $who@'%' IDENTIFIED BY 's3kr3t'"
    theirs=$(named "$1" "$(sed -E "s#//[^@]*@#//$who:s3kr3t@#" <<<"$DBLOCK_TEST_TCP_URL")")
    ;;
  esac
}
