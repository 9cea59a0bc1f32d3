-- Take the requests away: nobody is asked to let go any more.
DROP TABLE IF EXISTS dblock_request;
