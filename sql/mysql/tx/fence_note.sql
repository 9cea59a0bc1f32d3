-- fence_note: what triggers find of this connection's fences. Each is a line: name, token, nonce, and the
-- ticket of the row that carries it or 0, parted by tabs. It outlives the transaction: a trigger
-- believes nothing of it, but reads the row again.
-- $1 all lines
SET @dblock_fence = $1
