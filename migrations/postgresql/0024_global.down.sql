-- What is decided, and not yet done everywhere, is forgotten: run the recovery first.
DROP TABLE IF EXISTS dblock_branch;
DROP TABLE IF EXISTS dblock_decision;
