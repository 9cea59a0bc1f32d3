-- foreign_key_check: rows that refer to nothing: there are none here.
SELECT '' FROM DUAL WHERE 1 = 0
