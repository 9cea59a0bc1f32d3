-- Sessions that look dead are watched anew.
DROP TABLE IF EXISTS dblock_suspect;
