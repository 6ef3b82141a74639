"""Held out: builds, registries, hosting and databases.

Those who write rules do not read this file.
"""

from typing import Final

from tests.masking.corpus.frames import BARE, env, field, header
from tests.masking.corpus.making import kind

BUILDS: Final = [
    kind("circleci token", "CircleCI", "CCIPAT_⟨b62:22⟩_⟨hex:40⟩", BARE + header("Circle-Token")),
    kind("buildkite token", "Buildkite", "bkua_⟨hex:40⟩", BARE + env("BUILDKITE_API_TOKEN")),
    kind(
        "jenkins token",
        "Jenkins",
        "11⟨hex:32⟩",
        [
            "curl -X POST -u ⟨user⟩:⟨⟩ https://⟨host⟩/job/⟨word⟩/build",
            "java -jar jenkins-cli.jar -s https://⟨host⟩/ -auth ⟨user⟩:⟨⟩ build ⟨word⟩",
            "JENKINS_API_TOKEN=⟨⟩",
        ],
    ),
    kind(
        "jfrog key",
        "JFrog",
        "AKCp⟨digits:1⟩⟨b62:68⟩",
        BARE + header("X-JFrog-Art-Api") + env("ARTIFACTORY_API_KEY"),
    ),
    kind(
        "sonar token",
        "SonarQube",
        ["squ_⟨hex:40⟩", "sqp_⟨hex:40⟩"],
        [*BARE, "mvn verify sonar:sonar -Dsonar.host.url=https://⟨host⟩ -Dsonar.token=⟨⟩"],
    ),
    kind("snyk token", "Snyk", "⟨uuid⟩", [*env("SNYK_TOKEN"), "snyk auth ⟨⟩"]),
    kind(
        "codecov token",
        "Codecov",
        "⟨uuid⟩",
        [
            *env("CODECOV_TOKEN"),
            "bash <(curl -s https://codecov.io/bash) -t ⟨⟩",
            "codecovcli do-upload --token ⟨⟩",
        ],
    ),
    kind("postman key", "Postman", "PMAK-⟨hex:24⟩-⟨hex:34⟩", BARE + header("X-Api-Key")),
    kind(
        "sourcegraph token", "Sourcegraph", "sgp_⟨hex:16⟩_⟨hex:40⟩", BARE + env("SRC_ACCESS_TOKEN")
    ),
    kind(
        "gitea token",
        "Gitea",
        "⟨hex:40⟩",
        [*env("GITEA_TOKEN"), "curl -H 'Authorization: token ⟨⟩' https://⟨host⟩/api/v1/user"],
    ),
    kind("rubygems key", "RubyGems", "rubygems_⟨hex:48⟩", [*BARE, ":rubygems_api_key: ⟨⟩"]),
    kind(
        "crates token",
        "crates.io",
        "cio⟨b62:32⟩",
        ["cargo login ⟨⟩", *env("CARGO_REGISTRY_TOKEN"), '[registry]\ntoken = "⟨⟩"'],
    ),
    kind(
        "nuget key",
        "NuGet",
        "oy2⟨alnum:43⟩",
        ["dotnet nuget push a.nupkg --api-key ⟨⟩ -s nuget.org", *env("NUGET_API_KEY")],
    ),
    kind("doppler token", "Doppler", "dp.st.dev.⟨b62:43⟩", BARE + env("DOPPLER_TOKEN")),
]

HOSTING: Final = [
    kind(
        "cloudflare token",
        "Cloudflare",
        "⟨b64u:40⟩",
        env("CLOUDFLARE_API_TOKEN") + header("X-Auth-Key"),
    ),
    kind(
        "vercel token",
        "Vercel",
        "⟨b62:24⟩",
        ["vercel deploy --prod --token ⟨⟩", *env("VERCEL_TOKEN")],
    ),
    kind("netlify token", "Netlify", "nfp_⟨b62:36⟩", BARE + env("NETLIFY_AUTH_TOKEN")),
    kind("render key", "Render", "rnd_⟨b62:28⟩", BARE + env("RENDER_API_KEY")),
    kind("hetzner token", "Hetzner", "⟨b62:64⟩", env("HCLOUD_TOKEN") + field("hcloud_token")),
    kind("linode token", "Linode", "⟨hex:64⟩", env("LINODE_TOKEN")),
    kind(
        "tailscale key",
        "Tailscale",
        "tskey-auth-⟨b62:16⟩-⟨b62:32⟩",
        [*BARE, "tailscale up --authkey ⟨⟩ --ssh"],
    ),
    kind(
        "ngrok token",
        "ngrok",
        "2⟨b62:26⟩_⟨b62:21⟩",
        ["ngrok config add-authtoken ⟨⟩", "authtoken: ⟨⟩", *env("NGROK_AUTHTOKEN")],
    ),
]

DATABASES: Final = [
    kind(
        "supabase key",
        "Supabase",
        "sb_secret_⟨b64u:22⟩_⟨b64u:8⟩",
        BARE + env("SUPABASE_SECRET_KEY"),
    ),
    kind(
        "neon password",
        "Neon",
        "npg_⟨b62:12⟩",
        [
            "DATABASE_URL=postgresql://owner:⟨⟩@ep-⟨word⟩-⟨alnum:8⟩.eu-central-1.aws.neon.tech/neondb"
        ],
    ),
    kind(
        "elastic key",
        "Elastic",
        "⟨bytes64:43⟩",
        [
            "Authorization: ApiKey ⟨⟩",
            "curl -H 'Authorization: ApiKey ⟨⟩' https://⟨host⟩:9243/_cat/indices",
            *env("ES_API_KEY"),
        ],
    ),
    kind(
        "influx token",
        "InfluxDB",
        "⟨b64u:86⟩==",
        [
            "Authorization: Token ⟨⟩",
            *env("INFLUX_TOKEN"),
            "influx query -t ⟨⟩ 'from(bucket:\"⟨word⟩\")'",
        ],
    ),
    kind("pinecone key", "Pinecone", "pcsk_⟨b62:6⟩_⟨b62:63⟩", BARE + header("Api-Key")),
    kind(
        "confluent secret",
        "Confluent",
        "⟨b64:64⟩",
        ["sasl.username=⟨ALNUM:16⟩\nsasl.password=⟨⟩", *env("CONFLUENT_CLOUD_API_SECRET")],
    ),
    kind(
        "algolia key", "Algolia", "⟨hex:32⟩", header("X-Algolia-API-Key") + env("ALGOLIA_ADMIN_KEY")
    ),
]
