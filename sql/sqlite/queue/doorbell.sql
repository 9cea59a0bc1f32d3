-- doorbell: nobody can ring a connection to a file.
SELECT 0 AS never
