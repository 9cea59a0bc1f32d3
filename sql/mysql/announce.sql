-- announce: the line has changed. Who hands the lock over goes by the version that it has read, and
-- reads anew if there is another; and from here on a release looks for who is first.
-- $1 name
UPDATE dblock_lock SET queued = TRUE, queue_version = queue_version + 1 WHERE name = $1
