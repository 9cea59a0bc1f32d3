#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What shells are offered where the line, or $DBLOCK_URL, names the members of a cluster: the names of its locks, from
# the first member that answers, and members by their numbers.

setup() {
  load ../kit
  load ../cluster
  cd "$BATS_TEST_TMPDIR"
  make_databases
  dblock quorum init billing --allow-forgetful "${members[@]}" >/dev/null
  dblock -q "${members[@]}" run job:nightly true
  dblock -q "${members[@]}" run 'job*r' true
  token=$(dblock "${members[@]}" acquire jobless --lease 4m)
  # No lock of the cluster's, though its name begins like that.
  dblock -q -u "${urls[1]}" run jobs-of-one true
  wait_for eval 'offers "words,job*r,job:nightly,jobless" "${members[@]}" show job'
}

teardown() {
  end_background
  drop_databases
}

# offers WANTED WORD...: the whole answer, its lines joined by commas, without what words mean.
offers() {
  local wanted=$1
  shift
  equal "$(dblock complete bash -- dblock "$@" | cut -f 1 | paste -sd ,)" "$wanted"
}

@test "names of the cluster's locks, for what is for several databases" {
  local command
  for command in run acquire renew release show; do
    offers words,jobless "${members[@]}" "$command" jobl
    offers words,jobless "$command" "${members[@]}" jobl
  done
  offers words,job:nightly show "${members[@]}" job:
  offers 'words,job*r' show "${members[@]}" 'job*'
  offers words show "${members[@]}" 'quorum'
  for command in ls break explain request elect; do
    offers words "${members[@]}" "$command" jobl
  done
  offers words,jobs-of-one -u "${urls[1]}" show job
  export DBLOCK_URL="${urls[1]} ${urls[2]} ${urls[3]}"
  offers words,jobless release jobl
  offers words,jobless run --also jobl
  offers words,jobs-of-one -u "${urls[1]}" show job
  dblock -q release jobless "$token"
}

@test "the first member that answers is asked" {
  local silent="postgresql:///x?host=$PWD"
  offers words,jobless show -u "$nowhere" -u "${urls[2]}" -u "${urls[3]}" jobl
  offers words,jobless show -u "$nowhere" -u sqlite:never.db -u "${urls[3]}" jobl
  [ ! -e never.db ]
  offers words show -u "$nowhere" -u postgresql://nobody@127.0.0.1:1/other -u sqlite:never.db jobl
  # It listens, and that is all. A slow machine may not be done with the next one before all is given up.
  background systemd-socket-activate --listen="$PWD/.s.PGSQL.5432" sleep 1000 2>/dev/null
  wait_for test -S .s.PGSQL.5432
  wait_for eval 'offers words,jobless show -u "$silent" -u "${urls[2]}" -u "${urls[3]}" jobl'
  # Nobody is told of a mistake in the middle of his line.
  run -0 --separate-stderr dblock complete bash -- dblock -u a -u b -u c -u d -u e -u f -u g -u h -u i -u j show jobl
  equal "$output|$stderr" "words|"
}

@test "members by their numbers, and the commands of quorum" {
  offers words,init,replace,status quorum ''
  offers words,replace quorum re
  offers words,1,2,3 quorum replace "${members[@]}" ''
  offers words,2 "${members[@]}" quorum replace --allow-forgetful 2
  offers words quorum replace "${members[@]}" 4
  offers words quorum replace -u "${urls[1]}" ''
  offers words quorum init "${members[@]}" ''
  offers words quorum replace "${members[@]}" 2 ''
  export DBLOCK_URL="${urls[1]} ${urls[2]} ${urls[3]} $nowhere $nowhere"
  offers words,1,2,3,4,5 quorum replace ''
}
