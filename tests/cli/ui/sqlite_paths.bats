#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A file that can be reached by two paths is refused, in each command, with the way out.

setup() {
  load ../kit
  cd "$BATS_TEST_TMPDIR"
  dblock -u sqlite:a.db run x -- true
}

# refused TEXT: all commands refuse b.db, and leave nothing behind.
refused() {
  run -64 --separate-stderr dblock -u sqlite:b.db run x -- touch ran
  contains "$stderr" "dblock: run: "
  contains "$stderr" "b.db: $1"
  [ ! -e ran ]
  run -64 --separate-stderr dblock -u sqlite:b.db ls
  contains "$stderr" "$1"
  run -2 --separate-stderr dblock -u sqlite:b.db doctor
  contains "$stderr" "$1"
  mkdir -p db
  echo 'CREATE TABLE t (x);' >db/1_t.up.sql
  run -2 --separate-stderr dblock -u sqlite:b.db migrate up --dir db
  contains "$stderr" "$1"
  [ ! -e b.db-wal ]
  [ ! -e b.db-shm ]
}

@test "a hard link" {
  ln a.db b.db
  refused "the file has 2 names (hard links)"
  rm b.db
  run -0 dblock -u sqlite:a.db run x -- echo yes
  equal "$output" yes
  equal "$(sqlite3 a.db "SELECT count(*) FROM sqlite_master WHERE name = 't'")" 0
}

@test "a mount of the file alone; of its folder it is one file" {
  unshare -m true 2>"$BATS_TEST_TMPDIR/why" || skip "this user may not mount: $(cat "$BATS_TEST_TMPDIR/why")"
  : >b.db
  mkdir c db
  echo 'CREATE TABLE t (x);' >db/1_t.up.sql
  cat >inside.bash <<'EOF'
mount --bind a.db b.db
dblock -u sqlite:b.db run x -- touch ran
echo "run: $?"
dblock -u sqlite:b.db doctor
echo "doctor: $?"
dblock -u sqlite:b.db migrate up --dir db
echo "migrate: $?"
mount --bind . c
dblock -u sqlite:a.db run x -- dblock -u sqlite:c/a.db run -n x -- true
echo "folder: $?"
EOF
  run -0 unshare -m bash inside.bash
  contains "$output" "run: 64"
  contains "$output" "doctor: 2"
  contains "$output" "migrate: 2"
  contains "$output" "folder: 75"
  equal "$(grep -c "b.db: the file is mounted by itself, .* mount the folder" <<<"$output")" 3
  [ ! -e ran ]
  [ ! -s b.db ]
  [ ! -e b.db-wal ]
}
