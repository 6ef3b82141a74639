"""Of the known half, the kinds that a rule knows by the vendor's mark on them.

They were held out until a rule named them.
"""

from typing import Final

from tests.masking.corpus.frames import BARE, env, header
from tests.masking.corpus.making import Kind, kind

BRANDS: Final[list[Kind]] = [
    kind(
        "bitbucket password",
        "Bitbucket",
        "ATBB⟨b62:32⟩",
        [*BARE, "git push https://⟨user⟩:⟨⟩@bitbucket.org/acme/⟨word⟩.git main"],
    ),
    kind(
        "docker hub token",
        "Docker Hub",
        "dckr_pat_⟨b64u:27⟩",
        [*BARE, "docker login -u acme -p ⟨⟩"],
    ),
    kind("pulumi token", "Pulumi", "pul-⟨hex:40⟩", BARE + env("PULUMI_ACCESS_TOKEN")),
    kind("heroku key", "Heroku", ["⟨uuid⟩", "HRKU-AA⟨b64u:58⟩"], env("HEROKU_API_KEY")),
    kind(
        "fly token",
        "Fly.io",
        "fm2_lJPE⟨b64:400⟩",
        ["FLY_API_TOKEN=FlyV1 ⟨⟩", 'export FLY_API_TOKEN="FlyV1 ⟨⟩"', *BARE],
    ),
    kind(
        "planetscale password", "PlanetScale", ["pscale_pw_⟨b64u:43⟩", "pscale_tkn_⟨b64u:43⟩"], BARE
    ),
    kind(
        "new relic key",
        "New Relic",
        ["NRAK-⟨ALNUM:27⟩", "⟨hex:36⟩NRAL"],
        env("NEW_RELIC_LICENSE_KEY") + header("Api-Key") + BARE,
    ),
    kind(
        "sentry token",
        "Sentry",
        ["sntryu_⟨hex:64⟩", "sntrys_eyJpYXQiOjE⟨b64:120⟩_⟨b64:43⟩"],
        BARE + env("SENTRY_AUTH_TOKEN"),
    ),
    kind(
        "grafana token",
        "Grafana",
        ["glsa_⟨b62:32⟩_⟨hex:8⟩", "glc_eyJvIjoi⟨b64:110⟩=="],
        BARE + env("GRAFANA_TOKEN"),
    ),
    kind("airtable token", "Airtable", "pat⟨b62:14⟩.⟨hex:64⟩", BARE + env("AIRTABLE_API_KEY")),
    kind("asana token", "Asana", "2/⟨digits:16⟩/⟨digits:16⟩:⟨hex:32⟩", env("ASANA_ACCESS_TOKEN")),
    kind(
        "atlassian token",
        "Atlassian",
        "ATATT3xFfGF0⟨b64u:171⟩=⟨HEX:8⟩",
        [
            *BARE,
            "curl -u ana@acme.io:⟨⟩ https://acme.atlassian.net/rest/api/3/myself",
            *env("JIRA_API_TOKEN"),
        ],
    ),
    kind("figma token", "Figma", "figd_⟨b64u:40⟩", BARE + header("X-Figma-Token")),
    kind(
        "mailchimp key",
        "Mailchimp",
        "⟨hex:32⟩-us⟨n⟩",
        [
            *env("MAILCHIMP_API_KEY"),
            "curl --user 'any:⟨⟩' https://us⟨n⟩.api.mailchimp.com/3.0/lists",
        ],
    ),
    kind("brevo key", "Brevo", "xkeysib-⟨hex:64⟩-⟨b62:16⟩", BARE + header("api-key")),
]
