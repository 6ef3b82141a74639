"""Settings of the desk. docs/configuration.md describes each value that may be set."""

import os
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from csp.constants import NONCE, NONE, SELF

from stuckbot.lib import environment as env
from stuckbot.lib import logs

BASE_DIR = Path(__file__).resolve().parent.parent
environ.Env.read_env(BASE_DIR / ".env")

# --- what kind of place this is -------------------------------------------------------------

DEBUG = env.boolean("DEBUG", default=False)
DATA_DIR = env.folder("DATA_DIR", BASE_DIR / "var")
SECRET_KEY = env.secret_key("SECRET_KEY", DATA_DIR / "secret_key")
PUBLIC_URL = env.web_address("PUBLIC_URL", "http://127.0.0.1:8000")
_PUBLIC = urlsplit(PUBLIC_URL)
_IS_HTTPS = _PUBLIC.scheme == "https"
TRUSTED_PROXIES = env.integer("TRUSTED_PROXIES", 0, low=0, high=10)

_HOST = f"[{_PUBLIC.hostname}]" if ":" in str(_PUBLIC.hostname) else str(_PUBLIC.hostname)
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS") or list(
    dict.fromkeys([_HOST, "localhost", "127.0.0.1", "[::1]"])
)
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
CSRF_FAILURE_VIEW = "stuckbot.site.pages.errors.csrf_failed"

# --- the parts ------------------------------------------------------------------------------

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "rest_framework",
    "drf_spectacular",
    "django_q",
    "csp",
    "stuckbot.lib.apps.LibConfig",
    "accounts",
    "policy",
    "tickets",
    "verification",
    "stuckbot.site.apps.SiteConfig",
]

# Machine calls leave this list at ApiShortcut and enter it again behind ViewDoor.
MIDDLEWARE = [
    "stuckbot.lib.middleware.RequestIdMiddleware",
    "stuckbot.lib.middleware.ApiShortcut",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "stuckbot.site.pages.middleware.PageHeaders",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "stuckbot.site.pages.middleware.ReaderTimeZone",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "stuckbot.lib.middleware.ViewDoor",
]
API_PREFIXES = ("/api/", "/schemas/", "/.well-known/")
API_PATHS = frozenset({"/api", "/healthz", "/readyz"})

ROOT_URLCONF = "stuckbot.urls"
WSGI_APPLICATION = "stuckbot.wsgi.application"
APPEND_SLASH = False
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
            ]
        },
    }
]

# --- the database ---------------------------------------------------------------------------

CONN_MAX_AGE = env.integer("CONN_MAX_AGE", 60, low=0, high=86_400)
STATEMENT_TIMEOUT = env.integer("STATEMENT_TIMEOUT", 30, low=0, high=86_400)

_SQLITE_OPTIONS = {
    # A transaction that begins with a read and then writes fails at once on a busy file unless
    # it takes the write lock first.
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY; "
        "PRAGMA cache_size=-2000; PRAGMA journal_size_limit=67108864;"
    ),
}
_POSTGRES_OPTIONS = {
    "connect_timeout": 5,
    "application_name": "stuckbot",
    "options": (
        f"-c statement_timeout={STATEMENT_TIMEOUT}s -c lock_timeout=10s "
        "-c idle_in_transaction_session_timeout=60s"
    ),
}


def _database() -> dict[str, Any]:
    found = env.database("DATABASE_URL", f"sqlite:///{DATA_DIR}/stuckbot.sqlite3")
    is_sqlite = found["ENGINE"].endswith("sqlite3")
    if is_sqlite:
        found["NAME"] = str(BASE_DIR / found["NAME"])
    defaults = _SQLITE_OPTIONS if is_sqlite else _POSTGRES_OPTIONS
    return {
        **found,
        "CONN_MAX_AGE": CONN_MAX_AGE,
        "CONN_HEALTH_CHECKS": not is_sqlite,
        "OPTIONS": defaults | found.get("OPTIONS", {}),
        # A real file, never :memory:, which would hide every question of locks; one per process.
        "TEST": {"NAME": _test_name(found["NAME"], is_sqlite)},
    }


def _test_name(name: str, is_sqlite: bool) -> str:
    if is_sqlite:
        return str(Path(tempfile.gettempdir()) / f"stuckbot-test-{os.getpid()}.sqlite3")
    return f"test_{name}_{os.getpid()}"


DATABASES = {"default": _database()}

# --- cache, mail, tasks ---------------------------------------------------------------------

REDIS_URL = env.redis("REDIS_URL")
CACHES: dict[str, dict[str, Any]] = {
    # Sign-in limits count here, so every process must see the same cache.
    "default": (
        {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
        if REDIS_URL
        else {
            "BACKEND": "django.core.cache.backends.db.DatabaseCache",
            "LOCATION": "cache",
            "OPTIONS": {"MAX_ENTRIES": 10_000},
        }
    ),
    # The worker notes its state twice a second; nobody else reads it.
    "worker": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "worker"},
}

vars().update(env.email("EMAIL_URL", "consolemail://" if DEBUG else f"filemail:///{DATA_DIR}/mail"))
DEFAULT_FROM_EMAIL = env.text("DEFAULT_FROM_EMAIL", f"StuckBot <stuckbot@{_PUBLIC.hostname}>")
SERVER_EMAIL = DEFAULT_FROM_EMAIL
# When the daily list of decisions that wait is mailed, in UTC.
DIGEST_HOUR = env.integer("DIGEST_HOUR", 7, low=0, high=23)
EMAIL_TIMEOUT = 5  # seconds; the worker sends mail between other things

TASK_WORKERS = env.integer("TASK_WORKERS", 1, low=1, high=64)
Q_CLUSTER = {
    "name": "stuckbot",
    "label": "Task queue",
    "orm": "default",
    "cache": "worker",
    "workers": TASK_WORKERS,
    "queue_limit": TASK_WORKERS * 2,
    "poll": 0.5,
    "timeout": 60,
    "retry": 180,  # over the time limit plus the wait in the queue, or a task runs twice at once
    "max_attempts": 5,
    "ack_failures": True,
    "catch_up": False,
    "save_limit": 100,
    "recycle": 5_000,
    "sync": env.boolean("TASKS_SYNC", default=False),
}
TICKER_DUE = "stuckbot.site.tasks.due_now"
TICKER_SWEEP = "stuckbot.site.tasks.sweep"

# --- serving --------------------------------------------------------------------------------

# How often the last uses of tokens are written, in seconds; 0 leaves them out.
TOKEN_USED_SECONDS = env.integer("TOKEN_USED_SECONDS", 60, low=0, high=86_400)
WEB_WORKERS = env.integer("WEB_WORKERS", 2, low=1, high=256)
WEB_THREADS = env.integer("WEB_THREADS", 8, low=1, high=256)
# Asked once before the processes part, so that they share what answering loads.
WARM_UP_PATHS = ["/healthz", "/readyz", "/api/v1", "/api/v1/agents/me", "/accounts/login/"]
RATE_LIMIT = env.integer_or_off("RATE_LIMIT", 600, high=1_000_000)  # calls a minute per token
RATE_LIMIT_BURST = env.integer("RATE_LIMIT_BURST", 120, low=1, high=1_000_000)
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000

# Private hosts that the desk may open all the same.
OUTGOING_ALLOWED = env.private_hosts(
    "OUTGOING_ALLOW_HOSTS", ca_file=env.certificates("OUTGOING_CA_FILE")
)
# How often the desk opens urls that criteria name: a minute at one host, an hour for one org.
URL_CHECKS_PER_HOST = env.integer_or_off("URL_CHECKS_PER_HOST", 60, high=1_000_000)
URL_CHECKS_PER_ORG = env.integer_or_off("URL_CHECKS_PER_ORG", 600, high=1_000_000)

LOG_LEVEL = env.choice("LOG_LEVEL", "INFO", env.LOG_LEVELS)
LOGGING_CONFIG = "stuckbot.lib.logs.setup"
LOGGING = logs.config(level=LOG_LEVEL, plain=DEBUG)

# --- language and time ----------------------------------------------------------------------

LANGUAGE_CODE = env.language("LANGUAGE_CODE", "en")
# The languages the pages are in; a browser that asks for another must not get half of one.
LANGUAGES = list({"en": "English", LANGUAGE_CODE: LANGUAGE_CODE}.items())
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
DISPLAY_TIME_ZONE = env.time_zone("TIME_ZONE", "UTC")  # for readers who have not chosen one

# --- static files ---------------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)
STATICFILES_DIRS = [folder for folder in (BASE_DIR / "static",) if folder.is_dir()]
WHITENOISE_USE_FINDERS = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "stuckbot.lib.static.StaticFiles"},
}
MEDIA_ROOT = DATA_DIR / "files"

# --- people ---------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
_VALIDATION = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS: list[dict[str, Any]] = [
    {"NAME": f"{_VALIDATION}.UserAttributeSimilarityValidator"},
    {"NAME": f"{_VALIDATION}.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": f"{_VALIDATION}.CommonPasswordValidator"},
    {"NAME": f"{_VALIDATION}.NumericPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
OPEN_SIGNUP = env.boolean("OPEN_SIGNUP", default=False)
ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "login": "accounts.sign_in_forms.SignInForm",
    "change_password": "accounts.sign_in_forms.ChangeForm",
    "reset_password": "accounts.sign_in_forms.ResetForm",
    "reset_password_from_key": "accounts.sign_in_forms.ResetKeyForm",
    "request_login_code": "accounts.sign_in_forms.CodeForm",
    "confirm_login_code": "accounts.sign_in_forms.GuessForm",
    "add_email": "accounts.sign_in_forms.EmailForm",
    "reauthenticate": "accounts.sign_in_forms.AgainForm",
}
# Links to sign up: of one network address, and to one mail address; tries of a mailed code: of one
# session. The rest is as allauth has it.
ACCOUNT_RATE_LIMITS = {"signup": "10/10m/ip,3/h/key", "guess_code": "5/m/key"}
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_LOGIN_BY_CODE_ENABLED = True
# The mail goes out by the worker, and some servers hold mail of strangers back for minutes.
ACCOUNT_LOGIN_BY_CODE_TIMEOUT = 900
ACCOUNT_LOGIN_BY_CODE_SUPPORTS_RESEND = True
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
# Accounts are made by operators, or through a link that was mailed: nothing is left to verify.
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_EMAIL_CONFIRMATION_EXPIRE_DAYS = 1
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "StuckBot: "
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_SESSION_REMEMBER = None  # the person ticks "stay signed in"
# For the same work behind the same answer; the adapter lets no such mail out.
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = _PUBLIC.scheme
ALLAUTH_TRUSTED_PROXY_COUNT = TRUSTED_PROXIES

# --- what a browser may do ------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF, NONCE],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = _IS_HTTPS
CSRF_COOKIE_HTTPONLY = False

SECURE_HSTS_SECONDS = env.integer("HSTS_SECONDS", 31_536_000, low=0, high=10**9) * _IS_HTTPS
# Only a proxy can speak TLS for the desk; without one that is trusted a redirect would never end.
SECURE_SSL_REDIRECT = _IS_HTTPS and TRUSTED_PROXIES > 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUSTED_PROXIES > 0 else None
SILENCED_SYSTEM_CHECKS = [
    # Subdomains and the browsers' preload lists bind a whole domain: not the desk's to promise.
    "security.W005",
    "security.W021",
]

# --- the API --------------------------------------------------------------------------------

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "StuckBot",
    "DESCRIPTION": "Tickets for agents that are stuck: filed, claimed, proved and resolved.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": ["stuckbot.site.api.document.components_add"],
    "ENABLE_DJANGO_DEPLOY_CHECK": False,
}
