-- foreign_key_check: rows whose foreign key refers to no row: here there are none.
SELECT '' LIMIT 0
