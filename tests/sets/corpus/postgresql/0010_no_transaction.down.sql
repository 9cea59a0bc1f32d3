-- no-transaction
DROP INDEX CONCURRENTLY person_name;
