-- rate_look: how much of a rate is used: its counter in ns, when that was, and the time now, in us; or no row.
-- $1 name
SELECT r.level, r.taken_at, $wall FROM dblock_rate r WHERE r.name = $1
