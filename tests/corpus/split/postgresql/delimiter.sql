DELIMITER //
CREATE TABLE a (id int) //
