-- Sequelize 6.37.8 with umzug 3.8.3 (npm), as lib/storage/sequelize.js of umzug makes it
-- Taken from a run with a driver that only prints. The name is the whole file name; rows are read by name.

CREATE TABLE IF NOT EXISTS `SequelizeMeta` (`name` VARCHAR(255) NOT NULL UNIQUE PRIMARY KEY);

INSERT INTO `SequelizeMeta` (`name`) VALUES ('20240101000001-first.js');
