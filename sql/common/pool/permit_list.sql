-- permit_list: the numbers of a semaphore's permits that are taken, in their order: by which grant, and whether
-- that one still holds it. If not, it never will again: its nonce is no other's.
-- $1 name
SELECT p.number, p.nonce,
       CASE WHEN EXISTS (SELECT 1 FROM dblock_queue q
                          WHERE q.name = p.name AND q.nonce = p.nonce AND q.token IS NOT NULL)
            THEN 1 ELSE 0 END AS holds
  FROM dblock_permit p
 WHERE p.name = $1
 ORDER BY p.number
