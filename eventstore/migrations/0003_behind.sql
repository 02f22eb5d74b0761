-- The sequencer's word to all who write: the log stands behind what was signed and seen
-- (eventstore.md 3.2). Every command looks at it with its receipt.
ALTER TABLE eventstore_log_state ADD COLUMN behind boolean NOT NULL DEFAULT false;
