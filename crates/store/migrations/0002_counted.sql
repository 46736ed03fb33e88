-- Tallies hold what was counted beside, too. An earlier program cannot read those, and must not take them for nothing.
PRAGMA user_version = 2;
