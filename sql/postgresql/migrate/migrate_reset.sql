-- migrate_reset: a user's file begins with the session's own settings, whatever the one before has
-- left. Not DISCARD ALL: that would give the lock back.
RESET ALL
