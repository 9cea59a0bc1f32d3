-- rate_anchor: the clock was set back, behind the last take: from now on the counter runs down by it again.
-- $1 name
UPDATE dblock_rate SET taken_at = $wall WHERE name = $1 AND taken_at > $wall
