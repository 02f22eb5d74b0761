DROP TABLE eventstore_event, eventstore_command_receipt;
DROP FUNCTION eventstore_refuse_change(), eventstore_forget_receipts();
REVOKE SELECT ON django_migrations FROM tonk_app;
