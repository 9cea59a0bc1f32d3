-- foreign_key_check: rows that refer to nothing.
SELECT "table" || ' ' || coalesce(rowid, '') || ' ' || parent || ' ' || fkid FROM pragma_foreign_key_check
