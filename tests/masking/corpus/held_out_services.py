"""Held out: monitoring, people and their tools, messages, money, models.

Those who write rules do not read this file.
"""

from typing import Final

from tests.masking.corpus.frames import BARE, env, field, header
from tests.masking.corpus.making import kind

WATCHING: Final = [
    kind(
        "datadog key",
        "Datadog",
        ["⟨hex:32⟩", "⟨hex:40⟩"],
        env("DD_API_KEY") + header("DD-APPLICATION-KEY") + field("api_key"),
    ),
    kind(
        "honeycomb key",
        "Honeycomb",
        ["hcaik_01⟨alnum:56⟩", "⟨b62:22⟩"],
        header("X-Honeycomb-Team") + env("HONEYCOMB_API_KEY"),
    ),
    kind(
        "pagerduty token",
        "PagerDuty",
        ["u+⟨b64u:18⟩", "y_⟨b62:18⟩"],
        [
            "Authorization: Token token=⟨⟩",
            "curl -H 'Authorization: Token token=⟨⟩' https://api.pagerduty.com/users",
            *env("PAGERDUTY_TOKEN"),
        ],
    ),
    kind(
        "opsgenie key",
        "Opsgenie",
        "⟨uuid⟩",
        [
            "Authorization: GenieKey ⟨⟩",
            "curl -H 'Authorization: GenieKey ⟨⟩' -d @a.json https://⟨host⟩/v2/alerts",
        ],
    ),
    kind(
        "dynatrace token",
        "Dynatrace",
        "dt0c01.⟨b32:24⟩.⟨b32:64⟩",
        [*BARE, "Authorization: Api-Token ⟨⟩"],
    ),
    kind(
        "splunk token",
        "Splunk",
        "⟨uuid⟩",
        [
            "Authorization: Splunk ⟨⟩",
            "curl -k https://⟨host⟩:8088/services/collector -H 'Authorization: Splunk ⟨⟩'",
            *env("SPLUNK_HEC_TOKEN"),
        ],
    ),
    kind(
        "rollbar token",
        "Rollbar",
        "⟨hex:32⟩",
        header("X-Rollbar-Access-Token") + env("ROLLBAR_ACCESS_TOKEN"),
    ),
    kind("posthog key", "PostHog", "phx_⟨b62:43⟩", BARE + env("POSTHOG_PERSONAL_API_KEY")),
    kind("segment key", "Segment", "⟨b62:32⟩", env("SEGMENT_WRITE_KEY") + field("writeKey")),
    kind(
        "launchdarkly key",
        "LaunchDarkly",
        ["sdk-⟨uuid⟩", "api-⟨uuid⟩"],
        env("LAUNCHDARKLY_SDK_KEY") + BARE,
    ),
]

PEOPLE: Final = [
    kind(
        "okta token",
        "Okta",
        "00⟨b64u:40⟩",
        [
            "Authorization: SSWS ⟨⟩",
            "curl -H 'Authorization: SSWS ⟨⟩' https://acme.okta.com/api/v1/users",
            *env("OKTA_API_TOKEN"),
        ],
    ),
    kind("auth0 secret", "Auth0", "⟨b64u:64⟩", env("AUTH0_CLIENT_SECRET") + field("clientSecret")),
    kind(
        "keycloak secret",
        "Keycloak",
        "⟨b62:32⟩",
        [
            '{"realm": "acme", "resource": "⟨word⟩", "credentials": {"secret": "⟨⟩"}}',
            "kcadm.sh config credentials --client ⟨word⟩ --secret ⟨⟩",
        ],
    ),
    kind("notion token", "Notion", ["ntn_⟨b62:46⟩", "secret_⟨b62:43⟩"], BARE + env("NOTION_TOKEN")),
    kind("dropbox token", "Dropbox", "sl.u.⟨b64u:140⟩", [*BARE, "Authorization: Bearer ⟨⟩"]),
    kind(
        "zendesk token",
        "Zendesk",
        "⟨b62:40⟩",
        [
            "curl https://acme.zendesk.com/api/v2/tickets.json -u ana@acme.io/token:⟨⟩",
            *env("ZENDESK_API_TOKEN"),
        ],
    ),
    kind(
        "contentful token",
        "Contentful",
        "CFPAT-⟨b64u:43⟩",
        BARE + env("CONTENTFUL_MANAGEMENT_TOKEN"),
    ),
    kind(
        "mapbox token", "Mapbox", "sk.eyJ1Ijoi⟨b62:60⟩.⟨b64u:22⟩", BARE + env("MAPBOX_SECRET_TOKEN")
    ),
    kind(
        "weather key",
        "OpenWeather",
        "⟨hex:32⟩",
        [
            "GET https://api.openweathermap.org/data/2.5/weather?q=Bern&appid=⟨⟩ 401",
            *env("OPENWEATHER_API_KEY"),
        ],
    ),
]

MESSAGES: Final = [
    kind(
        "mailgun key",
        "Mailgun",
        ["key-⟨hex:32⟩", "⟨hex:32⟩-⟨hex:8⟩-⟨hex:8⟩"],
        [
            "curl -s --user 'api:⟨⟩' https://api.mailgun.net/v3/acme.io/messages",
            *env("MAILGUN_API_KEY"),
        ],
    ),
    kind(
        "postmark token",
        "Postmark",
        "⟨uuid⟩",
        header("X-Postmark-Server-Token") + env("POSTMARK_SERVER_TOKEN"),
    ),
    kind("resend key", "Resend", "re_⟨b62:8⟩_⟨b62:24⟩", BARE + env("RESEND_API_KEY")),
    kind(
        "vonage secret",
        "Vonage",
        "⟨b62:16⟩",
        [
            "curl -d api_key=⟨hex:8⟩ -d api_secret=⟨⟩ https://rest.nexmo.com/sms/json",
            *env("VONAGE_API_SECRET"),
        ],
    ),
    kind(
        "mattermost webhook",
        "Mattermost",
        "⟨alnum:26⟩",
        [
            "curl -d @m.json https://chat.acme.io/hooks/⟨⟩",
            '{"webhook_url": "https://chat.acme.io/hooks/⟨⟩"}',
        ],
    ),
    kind("rocket chat token", "Rocket.Chat", "⟨b64u:43⟩", header("X-Auth-Token")),
]

MONEY: Final = [
    kind(
        "square token",
        "Square",
        ["EAAA⟨b64u:60⟩", "sq0atp-⟨b64u:22⟩", "sq0csp-⟨b64u:43⟩"],
        BARE + env("SQUARE_ACCESS_TOKEN"),
    ),
    kind(
        "shopify token",
        "Shopify",
        ["shpat_⟨hex:32⟩", "shpss_⟨hex:32⟩"],
        BARE + header("X-Shopify-Access-Token"),
    ),
    kind(
        "plaid secret",
        "Plaid",
        "⟨hex:30⟩",
        [
            '{"client_id": "⟨hex:24⟩", "secret": "⟨⟩", "country_codes": ["US"]}',
            *env("PLAID_SECRET"),
        ],
    ),
    kind(
        "adyen key",
        "Adyen",
        "AQE⟨b64u:4⟩mfxKI⟨b64:100⟩-⟨b64:43⟩=-⟨b62:16⟩",
        header("X-API-Key") + env("ADYEN_API_KEY"),
    ),
    kind(
        "razorpay secret",
        "Razorpay",
        "⟨b62:24⟩",
        [
            "curl -u rzp_live_⟨b62:14⟩:⟨⟩ https://api.razorpay.com/v1/orders",
            *env("RAZORPAY_KEY_SECRET"),
        ],
    ),
    kind(
        "paypal secret",
        "PayPal",
        "E⟨b64u:79⟩",
        [
            *env("PAYPAL_CLIENT_SECRET"),
            "curl -u A⟨b64u:79⟩:⟨⟩ -d grant_type=client_credentials https://api-m.paypal.com/v1/oauth2/token",
        ],
    ),
    kind("flutterwave key", "Flutterwave", "FLWSECK-⟨hex:32⟩-X", BARE + env("FLW_SECRET_KEY")),
]

MODELS: Final = [
    kind("replicate token", "Replicate", "r8_⟨b62:37⟩", BARE + env("REPLICATE_API_TOKEN")),
    kind("mistral key", "Mistral", "⟨b62:32⟩", env("MISTRAL_API_KEY") + field("api_key")),
    kind("cohere key", "Cohere", "⟨b62:40⟩", env("CO_API_KEY") + field("cohere_api_key")),
    kind("perplexity key", "Perplexity", "pplx-⟨b62:48⟩", BARE + env("PERPLEXITY_API_KEY")),
    kind("xai key", "xAI", "xai-⟨b62:80⟩", BARE),
    kind("openrouter key", "OpenRouter", "sk-or-v1-⟨hex:64⟩", BARE + env("OPENROUTER_API_KEY")),
    kind("elevenlabs key", "ElevenLabs", "sk_⟨hex:48⟩", header("xi-api-key") + BARE),
    kind("wandb key", "Weights & Biases", "⟨hex:40⟩", ["wandb login ⟨⟩", *env("WANDB_API_KEY")]),
    kind(
        "langsmith key", "LangSmith", "lsv2_pt_⟨hex:32⟩_⟨hex:10⟩", BARE + env("LANGSMITH_API_KEY")
    ),
]
