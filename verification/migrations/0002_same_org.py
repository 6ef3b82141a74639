from typing import ClassVar

from django.db import migrations

from stuckbot.lib.same_org import VERIFICATION, links_migration


class Migration(migrations.Migration):
    dependencies: ClassVar = [("verification", "0001_initial")]
    operations: ClassVar = [links_migration(VERIFICATION)]
