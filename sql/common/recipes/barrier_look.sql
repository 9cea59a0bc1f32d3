-- barrier_look: a barrier as it is: generation, the last that passed, why the one before ended; how many of its parties
-- are there, and how many of these have arrived in one generation; and how many had, and are dead.
-- $1 name  $2 pattern of the value of one that has
SELECT b.generation, b.passed, b.why,
       (SELECT count(*)
          FROM dblock_queue q
          JOIN dblock_session s ON s.id = q.session
         WHERE q.name = $1 AND q.token IS NOT NULL AND NOT s.dead) AS present,
       (SELECT count(*)
          FROM dblock_queue q
          JOIN dblock_session s ON s.id = q.session
         WHERE q.name = $1 AND q.token IS NOT NULL AND NOT s.dead AND q.value LIKE $2) AS arrived,
       (SELECT count(*)
          FROM dblock_queue q
          LEFT JOIN dblock_session s ON s.id = q.session
         WHERE q.name = $1 AND q.token IS NOT NULL AND coalesce(s.dead, TRUE) AND q.value LIKE $2) AS dead
  FROM dblock_latch b
 WHERE b.name = $1
