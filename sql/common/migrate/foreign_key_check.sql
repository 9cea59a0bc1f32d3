-- foreign_key_check: rows that refer to nothing: there are none here.
SELECT '' LIMIT 0
