"""The books: double entry, posted from events and from nothing else."""
