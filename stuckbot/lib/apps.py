from django.apps import AppConfig


class LibConfig(AppConfig):
    name = "stuckbot.lib"
    label = "core"
    verbose_name = "Core"
