-- dblock_held and dblock_waits have come in their place, which know modes.
DROP VIEW IF EXISTS dblock_holders, dblock_waiting;
