"""Which names announce a secret, and how much they say."""

import pytest

from stuckbot.lib.masking.keys import KEYED, SILENT, STRONG, WEAK, qualifies_key, telling

NAMES = {
    STRONG: """
        password PASSWORD DB_PASSWORD dbPassword db-password db.password smtp_passwd PGPASSWORD
        passphrase sshPassphrase passwort passcode secret clientSecret CLIENT_SECRET token
        accessToken x-auth-token apikey apiKey X-Api-Key API_KEY myapikey secretkey aws_secretkey
        privatekey accountkey pwd pswd passkey psk wifi_psk mnemonic passwords oldPasswords
        DBPassword password2 password_2 token_value secretValue passwordHash1Password token_base64
        password_old SECRET_PROD tokenRaw db_pass dbpass DB_PASS smtpPass rootpw root_pw userpw
        requirepass masterauth become_pass sudopass password_confirmation image_token
        csrf_secret reset_secret tlsSecrets_token user_token_data
    """,
    KEYED: """
        HMACKey secret_key access_key accessKey privateKey account_key master_key encryption_key
        signing_key SigningKey storage_key deploy_key webhook_key hmac_key aes_key jwt_key app_key
        license_key root_key ssh_key ssl_key tls_key team_key user_key server_key secret_key_base
        SECRET_KEY_2 access_key_old
    """,
    WEAK: """
        api2key key keys auth authorization Authentication credential credentials creds cred sig signature
        session sessionid sid pass pat jwt bearer csrf xsrf csrf_token xsrf_token csrfToken
        csrfmiddleware_token secrets tokens auths basic my_session proxyauth2 usersession
        acme_key ACME_KEY datakey monkey image_secret pull_secret tls_secret imagepull_secret
        reset_password has_password forgot_password check_passphrase getPassword requiresPassword
    """,
    SILENT: """
        name id value user host author passage passed bypass compass token_count max_tokens_used
        tokenizer key_id keyword page_token next_token nextToken continuation_token sync_token
        eos_token max_token num_token prompt_token first_token unexpected_token missing_token
        public_key publicKey primary_key foreign_key sort_key cache_key site_key sitekey hotkey
        publickey primarykey partition_key index_key press_key password_length secret_name
        secrets_dir 42 _ -- é myrequirepass_x pw lonelypw mypass_x
    """,
}
ROWS = [(name, strength) for strength, names in NAMES.items() for name in names.split()]


@pytest.mark.parametrize(("name", "strength"), ROWS)
def test_a_name_says_so_much(name: str, strength: int) -> None:
    assert telling(name) == strength


def test_no_name_says_nothing() -> None:
    assert telling("") == SILENT


@pytest.mark.parametrize("word", ["api", "API", "Secret", "signing"])
def test_these_make_a_key_a_secret(word: str) -> None:
    assert qualifies_key(word)


@pytest.mark.parametrize("word", ["", "the", "primary", "apis"])
def test_these_do_not(word: str) -> None:
    assert not qualifies_key(word)
