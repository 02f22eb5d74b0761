REVOKE SELECT ON tournaments_tournament, tournaments_entrant FROM tonk_auditor;
