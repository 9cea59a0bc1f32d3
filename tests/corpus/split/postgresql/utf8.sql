CREATE TABLE prénom (größe int, "日本;" text); INSERT INTO prénom VALUES (1, '😀;'); SELECT größe FROM prénom;
/* ääää */ SELECT 'ä'; /*😀*/SELECT 1
