-- reap_suspects: forget who was watched and is dead by now, or gone, or has beaten since.
DELETE FROM dblock_suspect
 WHERE NOT EXISTS (SELECT 1 FROM dblock_session s
                    WHERE s.id = dblock_suspect.session AND s.beat = dblock_suspect.beat AND NOT s.dead)
