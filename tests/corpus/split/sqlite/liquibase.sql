--liquibase formatted sql
--changeset bob:1
CREATE TABLE a (id INTEGER);
--rollback DROP TABLE a;
