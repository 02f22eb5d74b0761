-- A proposal is made and decided; what it asks for is never changed, and none is removed.
GRANT SELECT, INSERT, UPDATE (state, decided_by_id, decided_at, note) ON players_proposal TO tonk_app;
