# nothing
-- nothing
/* nothing; */
