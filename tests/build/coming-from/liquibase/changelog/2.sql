--liquibase formatted sql

--changeset dblock:2
CREATE TABLE second (id INT);
--rollback DROP TABLE second;
