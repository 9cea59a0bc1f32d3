-- doctor_mark: a variable that this connection alone should remember.
-- $1 text
SET @doctor_mark = $1
