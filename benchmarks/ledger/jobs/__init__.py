"""What the benchmark of the books does in processes of its own: a module a job, by its functions.

They work on the database and with the settings that their process was given.
"""
