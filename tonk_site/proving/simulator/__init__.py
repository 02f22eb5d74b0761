"""The simulator: a whole world in one process under faults, repeatable from its seed.

Players, workers, beat, sequencer and followers are actors, threads of which one runs at a time;
`scheduler` decides which, by the seed. The database is real. Its clock, chance and messages are
simulated, and at every call of a port a fault may strike: `faults` draws them, `strikes` carries
them out. `watch` looks on, and says what must never be.
"""
