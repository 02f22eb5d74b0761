REVOKE ALL ON tournaments_tournament, tournaments_entrant, tournaments_lotsecret FROM tonk_app;
REVOKE ALL ON SEQUENCE tournaments_entrant_id_seq FROM tonk_app;
