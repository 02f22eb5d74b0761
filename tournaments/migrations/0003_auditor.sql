-- The auditor compares live rows with the log. Secrets of lots are not among what he may read.
GRANT SELECT ON tournaments_tournament, tournaments_entrant TO tonk_auditor;
