-- Sequelize 6.37.8 with umzug 3.8.3 (npm), as lib/storage/sequelize.js of umzug makes it
-- Taken from a run. The name is the whole file name; rows are read by name.

CREATE TABLE IF NOT EXISTS `SequelizeMeta` (`name` VARCHAR(255) NOT NULL UNIQUE , PRIMARY KEY (`name`))
 ENGINE=InnoDB DEFAULT CHARSET=utf8 COLLATE utf8_unicode_ci;

INSERT INTO `SequelizeMeta` (`name`) VALUES ('20240101000001-first.js');
