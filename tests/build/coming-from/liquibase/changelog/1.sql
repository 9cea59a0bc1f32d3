--liquibase formatted sql

--changeset dblock:1
CREATE TABLE first (id INT);
--rollback DROP TABLE first;
