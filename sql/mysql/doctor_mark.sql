-- doctor_mark: a variable that this connection alone should remember.
-- $1 text
SELECT @doctor_mark := $1
