from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "stuckbot.site"
    label = "site"
    verbose_name = "Site"
