-- doctor_mark: nobody stands between a file and its reader.
-- $1 text
SELECT $1
