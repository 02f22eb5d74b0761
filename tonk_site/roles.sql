-- Roles of the product. They belong to the server, so no migration makes them: a superuser runs this file
-- once a server, before the database is made (the launcher does at each start). It may run again at any time.
--
-- Grants on relations are given by the migrations. No role can log in from elsewhere than the server's own
-- rules of access allow, and none has a password here.

DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['tonk_owner', 'tonk_app', 'tonk_sequencer', 'tonk_auditor'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            EXECUTE format('CREATE ROLE %I LOGIN', wanted);
        END IF;
    END LOOP;
END
$$;

-- A stuck request must neither hold locks nor queue behind them for long.
ALTER ROLE tonk_app SET idle_in_transaction_session_timeout = '5s';
ALTER ROLE tonk_app SET lock_timeout = '2s';
ALTER ROLE tonk_app SET statement_timeout = '10s';

-- The auditor's rights are SELECT alone; this catches a wrong grant.
ALTER ROLE tonk_auditor SET default_transaction_read_only = on;
