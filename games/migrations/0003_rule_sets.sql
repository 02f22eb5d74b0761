-- A set of rules is written once and never changed.
GRANT SELECT, INSERT ON games_ruleset TO tonk_app;
-- Those of the tables that were opened before.
INSERT INTO games_ruleset (hash, version, options)
    SELECT DISTINCT ON (rules ->> 'hash')
        rules ->> 'hash', (rules ->> 'version')::smallint, (rules -> 'options')::jsonb
    FROM (SELECT data -> 'rules' AS rules FROM eventstore_event WHERE type = 'TableOpened') opened;
