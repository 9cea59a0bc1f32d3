-- migrate_reset: a user's file begins with the session's own settings, whatever the file before has set.
-- Not DISCARD ALL: that would give the right to migrate back.
RESET ALL
