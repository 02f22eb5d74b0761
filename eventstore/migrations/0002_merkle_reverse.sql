DROP TABLE eventstore_log_cosignature, eventstore_log_leaf, eventstore_log_tile, eventstore_log_checkpoint,
    eventstore_log_key, eventstore_log_state, eventstore_follower;
DROP FUNCTION eventstore_refuse_key_change();
