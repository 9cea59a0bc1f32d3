-- doorbell: never sent, as nobody can tell a file's connection anything.
SELECT 0 AS never
