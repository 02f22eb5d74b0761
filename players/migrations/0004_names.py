"""Shown names that look alike are one name."""

from django.db import migrations, models
from django.db.models.functions import Lower

# As `players.core.names` had them.
LOOKALIKES = (
    "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445"
    "\u0455\u0456\u0458\u0501\u051b\u051d\u04bb\u04cf"
    "\u03b1\u03b2\u03b5\u03b6\u03b7\u03b9\u03ba\u03bc\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7"
    "01i|\u0131"
)
LOOK_LIKE = "abekmhopctyxsljdqwhlabezhlkmnoptyxollll"


class Migration(migrations.Migration):
    dependencies = [("players", "0003_proposals")]

    operations = [
        migrations.RemoveConstraint("user", "display_name_once"),
        migrations.AddConstraint(
            "user",
            models.UniqueConstraint(
                models.Func(
                    Lower("display_name"),
                    models.Value(LOOKALIKES),
                    models.Value(LOOK_LIKE),
                    function="translate",
                ),
                name="display_name_once",
            ),
        ),
    ]
