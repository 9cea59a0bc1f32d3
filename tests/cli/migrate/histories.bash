# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Other tools' histories, as histories/ has them (each from the tool's own source): three files, first, second
# and third. Each test that loads this leaves the database empty.
load migrate

dialect=$DBLOCK_TEST_BACKEND
histories=$DBLOCK_SOURCE_DIR/tests/cli/migrate/histories

# Drops all tables.
empty()
{
  local list table
  case $dialect in
  postgresql)
    client -q <<<"SET client_min_messages = error; DROP SCHEMA IF EXISTS drizzle CASCADE;
      DROP SCHEMA public CASCADE; CREATE SCHEMA public;"
    return
    ;;
  sqlite) list="SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'" ;;
  mysql) list="SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()" ;;
  esac
  for table in $(sql "$list"); do
    case $dialect in
    sqlite) sql "DROP TABLE \"$table\"" ;;
    mysql) sql "DROP TABLE \`$table\`" ;;
    esac
  done
}

# has TOOL [SQL]: makes its history; false: it has none on this database.
has()
{
  empty
  [ -e "$histories/$1.$dialect.sql" ] || return 1
  client <"$histories/$1.$dialect.sql" >/dev/null
  [ $# -lt 2 ] || sql "$2"
}
