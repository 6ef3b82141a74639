"""The door for an ASGI server, for places that offer nothing else."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stuckbot.settings")

application = get_asgi_application()
