#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate dump, up --dump and verify --dump. Each test has a database of its own, so that a dump is of
# what the test has made.

setup() {
  load database
  with_database
  dir=$BATS_TEST_TMPDIR/migrations
  dump=$BATS_TEST_TMPDIR/schema.sql
  t=x
  prefix=dblock_
  mkdir "$dir"
  needs_pg_dump
  dblock -q migrate create
}

teardown() {
  without_database
}

# Runs the database's own client on the test's database.
own_client() {
  DBLOCK_TEST_URL=${url/sqlite:/sqlite://} client
}

# What dumps stumble over: routines with blank lines, triggers, a counter that counts, quotes, a view.
rich() {
  three
  case $DBLOCK_TEST_BACKEND in
  sqlite)
    up 0004_rich "CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, n TEXT DEFAULT 'it''s; é');
CREATE VIRTUAL TABLE words USING fts5(body);
CREATE TRIGGER t AFTER INSERT ON counted BEGIN UPDATE counted SET n = 'a;'; END;"
    ;;
  postgresql)
    up 0004_rich "CREATE SCHEMA other;
CREATE TABLE other.counted (id bigint GENERATED ALWAYS AS IDENTITY, n text DEFAULT 'it''s; é');
CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS \$\$
BEGIN


  RETURN NEW; -- behind two blank lines
END \$\$;
CREATE TRIGGER t BEFORE INSERT ON other.counted FOR EACH ROW EXECUTE FUNCTION f();"
    ;;
  mysql)
    up 0004_rich "CREATE TABLE counted (id INT AUTO_INCREMENT PRIMARY KEY, n VARCHAR(20) DEFAULT 'it''s; é');
DELIMITER //
CREATE PROCEDURE p() BEGIN

  SELECT 'AUTO_INCREMENT=7 DEFINER=\`a\`@\`b\`;';
END//
CREATE TRIGGER t BEFORE INSERT ON counted FOR EACH ROW BEGIN SET NEW.n = 'a;'; END//
DELIMITER ;"
    ;;
  esac
  up 0005_view "CREATE VIEW seen AS SELECT id FROM ${t}_customer;"
}

counts() {
  case $DBLOCK_TEST_BACKEND in
  postgresql) own_client <<<"INSERT INTO other.counted (n) VALUES ('x'), ('y'), ('z');" ;;
  *) own_client <<<"INSERT INTO counted (n) VALUES ('x'), ('y'), ('z');" ;;
  esac
}

@test "a database that was made of a dump is up to date, and dumps the same" {
  rich
  run -0 --separate-stderr migrate up --dump "$dump"
  contains "$output" "wrote $dump"
  dblock -q migrate drop --yes
  dblock -q migrate create
  own_client <"$dump" >/dev/null
  run -0 --separate-stderr migrate up
  contains "$stderr" "nothing to do"
  run -0 migrate status --check
  cp "$dump" "$dump.before"
  run -0 --separate-stderr migrate dump "$dump"
  contains "$stderr" "is up to date"
  cmp "$dump" "$dump.before"
  run -0 migrate verify --dump "$dump"
}

@test "nothing in it is of this day, host, user or version, nor dblock's own" {
  rich
  migrate up --dump "$dump"
  cp "$dump" "$dump.before"
  counts
  dblock -q schema up
  dblock -q run some-lock true
  migrate dump "$dump"
  cmp "$dump" "$dump.before"
  run ! grep -nE "$(date -u +%Y-%m-%d)|$(uname -n)@|pid [0-9]|$(dblock version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -1)" "$dump"
  run ! grep -nE '^-- Dumped|restrict |^\) .*AUTO_INCREMENT=|^CREATE DEFINER|sandbox' "$dump"
  run ! grep -nE 'TABLE .*dblock_lock|VIEW .*dblock_held' "$dump"
}

@test "the same files in another database, applied on another day in another way: the same text" {
  rich
  migrate up --dump "$dump"
  dblock -q migrate drop --yes
  dblock -q migrate create
  migrate up --to 2
  echo '-- a comment' >>"$dir/0001_customer.up.sql"
  migrate redo -n 2
  migrate up -n 2
  migrate up
  sed -i '$d' "$dir/0001_customer.up.sql"
  run -0 migrate verify --dump "$dump"
}

@test "the file is replaced as a whole, only if it is another text" {
  three
  migrate up --to 2 --dump "$dump"
  touch -d '2001-01-01' "$dump"
  run -0 --separate-stderr migrate up --to 2 --dump "$dump"
  equal "$(stat -c %Y "$dump")" "$(date -d '2001-01-01' +%s)"
  exec {before}<"$dump"
  run -0 --separate-stderr migrate up --dump "$dump"
  contains "$output" "wrote $dump"
  run ! cmp -s "$dump" /dev/fd/"$before"
  exec {before}<&-
  equal "$(echo "$BATS_TEST_TMPDIR"/schema.sql*)" "$dump"
  run -0 --separate-stderr migrate dump -
  equal "$output" "$(cat "$dump")"
}

@test "verify --dump: 4, with the difference" {
  three
  migrate up --dump "$dump"
  own_client <<<"CREATE TABLE by_hand (a INT);"
  run -4 --separate-stderr migrate verify --dump "$dump"
  grep -qE '^\+CREATE TABLE .*by_hand' <<<"$output"
  contains "$stderr" "is not the schema of this database"
  contains "$stderr" "'dblock migrate dump $dump --dir"
  json=$(dblock --json migrate verify --dump "$dump" --dir "$dir" 2>/dev/null) && return 1
  equal "$(field ok)-$(field error code)-$(field problems 0 code)" false-DBLOCK_E_DRIFT-dump
  contains "$(field problems 0 detail)" by_hand
  own_client <<<"DROP TABLE by_hand;"
  up 0004_more "CREATE TABLE more (a INT);"
  migrate up
  run -4 migrate verify --dump "$dump"
}

@test "what cannot be: no file, a folder, among the migrations, without a database, half of a migration" {
  three
  run -2 migrate verify --dump "$dump.none"
  run -2 migrate verify --dump "$dump" --files-only
  run -2 migrate dump "$BATS_TEST_TMPDIR/none/schema.sql"
  run -2 migrate up --dump -
  run -2 migrate up --dump "$dir/schema.sql"
  contains "$output" "among the migrations"
  equal "$(migrate status --json | grep -o '"state":"pending"' | wc -l)" 3
  mkdir "$dump.d"
  run -2 migrate dump "$dump.d"
  contains "$output" "$dump.d: cannot be"
  [ "$DBLOCK_TEST_BACKEND" = sqlite ] && return
  two_steps 0004_half "CREATE TABLE half (a INT)" "INSERT INTO nowhere VALUES (1)"
  run -1 migrate up
  run -5 migrate dump "$dump"
  contains "$output" "0004_half stopped halfway"
  [ ! -e "$dump" ]
}
