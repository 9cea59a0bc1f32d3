-- foreign_key_check: rows whose foreign key refers to no row.
SELECT "table" || ' ' || coalesce(rowid, '') || ' ' || parent || ' ' || fkid FROM pragma_foreign_key_check
