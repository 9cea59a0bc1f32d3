-- backend: a file has no server: what was not carried out when a connection ends never is.
SELECT 0 AS id, '' AS mark
