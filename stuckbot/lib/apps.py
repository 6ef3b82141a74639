from django.apps import AppConfig

from stuckbot.lib import checks  # noqa: F401  registers the system checks


class LibConfig(AppConfig):
    name = "stuckbot.lib"
    label = "core"
    verbose_name = "Core"
