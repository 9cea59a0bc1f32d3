-- Alembic rel_1_19_1-1-g20e58db0, as alembic/ddl/impl.py (version_table_impl) makes it
-- SQLAlchemy's SQL that results in this database; the revisions' ids are 1, 2, 3 (--rev-id; else random hex).
-- Only the heads have rows: one row, or one for each branch, and none for what lies behind.

CREATE TABLE alembic_version (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

INSERT INTO alembic_version (version_num) VALUES ('1');
UPDATE alembic_version SET version_num='2' WHERE alembic_version.version_num = '1';
UPDATE alembic_version SET version_num='3' WHERE alembic_version.version_num = '2';
