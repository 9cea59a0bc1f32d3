ALTER TYPE mood ADD VALUE IF NOT EXISTS 'ecstatic' AFTER 'happy';
ALTER TYPE mood ADD VALUE 'gloomy' BEFORE 'sad';
