-- reap_permits: a page of numbers of permits whose grants are over.
-- $1 $2 only after this name and number  $3 at most so many
SELECT p.name, p.number, p.nonce
  FROM dblock_permit p
 WHERE p.name >= $1 AND (p.name > $1 OR p.number > $2)
   AND NOT EXISTS (SELECT 1 FROM dblock_queue q
                    WHERE q.name = p.name AND q.nonce = p.nonce AND q.token IS NOT NULL)
 ORDER BY p.name, p.number
 LIMIT $3
