#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Names of locks that shells are offered: those of the database, held or not, and what cannot be typed is
# left out.

setup_file() {
  load ../kit
  with_tables
  local name
  for name in job:nightly job:hourly jobless 'my lock' 'st*r' 'sta' -x; do
    dblock -q run -- "$name" true
  done
}

setup() {
  load ../kit
}

teardown() {
  end_background
}

# offers WANTED WORD...: the whole answer, its lines joined by commas.
offers() {
  local wanted=$1
  shift
  equal "$(dblock complete bash -- dblock "$@" | paste -sd ,)" "$wanted"
}

@test "names begin as what is typed, and what is a pattern elsewhere is a character here" {
  offers words,job:hourly,job:nightly,jobless show job
  offers words,job:hourly,job:nightly break job:
  offers 'words,my lock' ls my
  offers 'words,st*r' show 'st*'
  offers words show '*'
  offers words show -- -
}

@test "names as operands, and as values of options" {
  offers words,jobless run jobl
  offers words,jobless run --also jobl
  offers words,jobless run -a jobl
  offers words,--also=jobless run --also=jobl
  offers words,jobless acquire --lease 1m jobl
  offers words renew jobless ''
  offers words migrate --scope job
  # A pattern of hosts is none of names.
  offers words ls --host job
  offers words ls --host=job
}

@test "of a lock that several hold the name is told once" {
  hold shared --shared
  hold shared --shared
  offers words,shared show shar
}

@test "the database that the line names is asked" {
  local url=$DBLOCK_URL
  export DBLOCK_URL=nonsense
  offers words,jobless -u "$url" show jobl
  offers words,jobless show --url="$url" jobl
  offers words,jobless "-u$url" show jobl
  offers words show jobl
}

@test "a thousand names at most" {
  {
    echo "CREATE TEMPORARY TABLE many AS SELECT * FROM dblock_lock WHERE name = 'jobless'; BEGIN;"
    printf "UPDATE many SET name = 'many%s'; INSERT INTO dblock_lock SELECT * FROM many;\n" {1001..2100}
    echo 'COMMIT;'
  } | client
  equal "$(dblock complete bash -- dblock show many | wc -l)" 1001
  offers words,many2099 show many2099
}
