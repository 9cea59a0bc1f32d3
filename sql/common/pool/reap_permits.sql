-- reap_permits: numbers of permits whose grants are over.
-- $1 at most so many
SELECT p.name, p.number, p.nonce
  FROM dblock_permit p
 WHERE NOT EXISTS (SELECT 1 FROM dblock_queue q
                    WHERE q.name = p.name AND q.nonce = p.nonce AND q.token IS NOT NULL)
 ORDER BY p.name, p.number
 LIMIT $1
