DELETE FROM person WHERE name = '--;';
