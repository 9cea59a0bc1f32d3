-- fence_note: leave the fences of this connection for triggers to read: for each a line with name, token,
-- nonce, and the ticket of the row with the grant or 0, separated by tabs. The note outlives the
-- transaction: so a trigger does not trust it, but reads the row again.
-- $1 all lines
SET @dblock_fence = $1
