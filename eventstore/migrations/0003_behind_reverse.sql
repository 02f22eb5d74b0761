ALTER TABLE eventstore_log_state DROP COLUMN behind;
