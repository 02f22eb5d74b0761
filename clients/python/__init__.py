"""The client for Python: the package `tonk_client`, which can be copied out of here."""
