DROP TABLE IF EXISTS dblock_revocation;
