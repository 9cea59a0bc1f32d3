-- database_create: the statement that makes a database, and the one that gives this user the right.
-- $1 its name
SELECT format('CREATE DATABASE %I', $1::text), format('ALTER ROLE %I CREATEDB', current_user)
