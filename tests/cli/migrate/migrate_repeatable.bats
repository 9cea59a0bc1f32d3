#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate: repeatable files, R_name.sql.

setup() {
  load migrate
  with_dir
  three
}

# again NAME TEXT: writes that repeatable file.
again()
{
  printf '%s\n' "$2" >"$dir/R_$1.sql"
}

# view COLUMNS: a view that is made anew.
view()
{
  again view "DROP VIEW IF EXISTS ${t}_view;
CREATE VIEW ${t}_view AS SELECT $1 FROM ${t}_customer;"
}

@test "they come after all others, in order of name, and again only when their text changes" {
  view id
  again a_first "INSERT INTO ${t}_orders VALUES (1, 1);"
  run -0 --separate-stderr migrate up
  equal "$(sed 's/ (.*//' <<<"$output" | paste -sd,)" \
    "applied 0001_customer,applied 0002_orders,applied 0003_names,applied R_a_first,applied R_view"
  run -0 --separate-stderr migrate up
  equal "$output" ""
  view "id, name"
  run -3 migrate status --check
  run -0 migrate verify
  run -0 --separate-stderr migrate up
  [[ $output == "applied R_view ("* ]]
  equal "$(sql "SELECT count(name) FROM ${t}_view")" 2
  equal "$(sql "SELECT count(*) FROM ${t}_orders")" 1
}

@test "a comment and a blank change nothing" {
  view id
  run -0 migrate up
  { echo '-- who reads this?'; cat "$dir/R_view.sql"; } >"$dir/x" && mv "$dir/x" "$dir/R_view.sql"
  run -0 --separate-stderr migrate up
  equal "$output" ""
}

@test "status has them as R; --json as repeatable, without a number" {
  view id
  run -0 migrate up
  run -0 migrate status
  [[ ${lines[4]} =~ ^R\ +view\ +applied ]]
  migrate_json status
  equal "$(field migrations 3 name) $(field migrations 3 version) $(field migrations 3 repeatable)" "view null true"
  equal "$(field to) $(field migrations 2 repeatable)" "3 false"
}

@test "--to and -n leave them, as long as others are to come" {
  view id
  run -0 migrate up --to 2
  run -0 --separate-stderr migrate up --to 3
  [[ $output == "applied 0003_names "* ]]
  run -0 --separate-stderr migrate up -n 1
  [[ $output == "applied R_view "* ]]
}

# Naive: the table that the view needs is dropped and made anew, and the view stays away.
@test "down forgets them, as what they made may be gone: the next up makes it anew" {
  again fill "INSERT INTO ${t}_customer VALUES (7, 'seven');"
  run -0 migrate up
  run -0 migrate down --all --yes
  run -0 --separate-stderr migrate up
  contains "$output" "applied R_fill ("
  equal "$(sql "SELECT count(*) FROM ${t}_customer")" 3
}

@test "one that was refused begins anew, also where its statements cannot be rolled back" {
  again bad "DROP VIEW IF EXISTS ${t}_view;
CREATE VIEW ${t}_view AS SELECT id FROM FROM ${t}_customer;"
  run -1 --separate-stderr migrate up
  contains "$stderr" "R_bad.sql:2:"
  contains "$stderr" "correct the file, then run 'dblock migrate up --dir $dir --prefix $prefix'"
  [[ $stderr != *"goes on at"* ]]
  run -0 migrate down
  run -1 migrate up
  again bad "CREATE VIEW ${t}_view AS SELECT id FROM ${t}_customer;
DROP VIEW ${t}_view;"
  run -0 --separate-stderr migrate up
  contains "$output" "applied R_bad (2 statements"
}

# A rollback to an older program must not bring back the older view.
@test "a program that is older than the database leaves them alone" {
  view "id, name"
  run -0 migrate up
  rm "$dir"/0003_*
  view id
  run -0 --separate-stderr migrate up --allow-missing
  equal "$output" ""
  equal "$(sql "SELECT count(name) FROM ${t}_view")" 2
}

@test "repair takes their name; plan and plan --sql have them" {
  view id
  run -0 migrate up
  run -0 --separate-stderr migrate repair R_view --forget --yes
  equal "$output" "repaired R_view: pending"
  run -0 migrate plan
  contains "$output" "R_view: 2 statements"
  run -0 migrate repair R_view.sql --applied --yes
  view "id, name"
  migrate plan --sql >"$dir/script"
  client <"$dir/script"
  run -0 --separate-stderr migrate up
  equal "$output" ""
  equal "$(sql "SELECT count(name) FROM ${t}_view")" 2
}

@test "their names: what is not right is refused" {
  for name in R_.sql R_x.up.sql R_x.down.sql R_x.UP.sql "R_ä.sql" R__view.sql; do
    touch "$dir/$name"
    run -2 --separate-stderr migrate up
    contains "$stderr" "$dir/$name: this is "
    rm "$dir/$name"
  done
  up 4611686018427387904_large "SELECT 1;"
  run -2 --separate-stderr migrate up
  contains "$stderr" "its number is too large; give it one of at most 4611686018427387903"
}
