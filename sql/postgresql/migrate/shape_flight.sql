-- shape_flight: is dblock_flight ours? Gives no row; fails if a column is missing or of another kind.
SELECT name, token, made, took, expires, coded::bigint, value
FROM dblock_flight
WHERE false
  AND octet_length(name) + octet_length(value) = 0
  AND token + made + took + expires + coded = 0
