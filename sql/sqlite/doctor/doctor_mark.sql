-- doctor_mark: there is no proxy between a file and its reader.
-- $1 text
SELECT $1
