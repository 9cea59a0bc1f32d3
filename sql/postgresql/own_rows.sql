-- own_rows: the rows of the line that this session has, those that wait and those that hold; by_session
-- is 0 for one that holds by a lease.
-- $1 own session
SELECT w.name, w.nonce, coalesce(w.token, 0) AS token, (w.expires IS NULL)::int AS by_session
  FROM dblock_queue w
 WHERE w.session = $1::text AND w.nonce <> 0
