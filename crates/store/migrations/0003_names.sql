-- Names of tables and columns that say what is in them. No row changes.
PRAGMA user_version = 3;

-- The values that traces can be found by, each once, with how many traces carry it.
ALTER TABLE names RENAME TO tag_values;

-- Which of those values a trace carries, in the order in which pages are read.
ALTER TABLE marks RENAME TO trace_tags;

-- `hooks.id`
ALTER TABLE metrics RENAME COLUMN owner TO hook_id;

-- `tag_values.id` of kind `project`: this rollup is by project.
ALTER TABLE activity RENAME COLUMN owner TO project_id;

-- The planner's figures do not follow a renamed table.
PRAGMA analysis_limit = 400;
ANALYZE tag_values;
ANALYZE trace_tags;
DELETE FROM sqlite_stat1 WHERE tbl IN ('names', 'marks');
