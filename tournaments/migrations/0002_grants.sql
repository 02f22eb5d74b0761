GRANT SELECT, INSERT, UPDATE ON tournaments_tournament TO tonk_app;
GRANT SELECT, INSERT, DELETE ON tournaments_entrant TO tonk_app;
GRANT USAGE ON SEQUENCE tournaments_entrant_id_seq TO tonk_app;
-- A sealed seed is written, read and removed; it is never changed.
GRANT SELECT, INSERT, DELETE ON tournaments_lotsecret TO tonk_app;
