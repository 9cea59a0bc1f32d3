SELECT 1;
CREATE TABLE a (id INT) # behind