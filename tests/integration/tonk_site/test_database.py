"""The database of the tests: who we are there, and that each test finds it as the migrations left it."""

import pytest
from django.db import connection, connections


@pytest.mark.django_db
def test_the_product_is_no_owner_and_no_superuser() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_user, rolsuper, rolcreatedb FROM pg_roles WHERE rolname = current_user"
        )
        assert cursor.fetchone() == ("tonk_app", False, False)
