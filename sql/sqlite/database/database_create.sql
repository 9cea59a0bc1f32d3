-- database_create: a file is made when it is opened.
-- $1 its name
SELECT $1, '' LIMIT 0
