-- rate_look: how much of a rate is used: its counter in ns, when that was, and the time now, in us, and whose take it was;
-- or no row.
-- $1 name
SELECT r.level, r.taken_at, $wall, r.nonce FROM dblock_rate r WHERE r.name = $1
