"""Texts in which what must go is marked by hand: ‹so›. All else stays to the byte."""

import re

import pytest

from stuckbot.lib.masking import REDACTED, mask_text

MIXED = "aB3dE5fG7hI9jK1mN2pQ"
HEX = "0123456789abcdef" * 2
UUID = "0f8fad5b-d9cd-4a69-a1b2-0f8fad5bd9cd"
USER = "Y2k6aHVudGVyMg=="  # ci:hunter2

ASSIGNED = (
    f"""
password=‹hunter2›
password=abc
pwd=‹abc1›
pwd=abc
"password": "‹abc›"
DB_PASSWORD: ‹hunter2› # in use
?password=‹hunter2›&a=1
&b=2&pwd=‹hunter2›
x?a=b&access_token=‹hunter2›#top
my key: {MIXED[:10]}
API key: ‹{MIXED[:10]}›
the api key: ‹{MIXED[:10]}›
login: ci pass: ‹hunter2›
username=ci, pass=‹hunter2›
boarding pass: hunter2
ACME_KEY=‹{MIXED[:16]}›
ACME_KEY={MIXED[:15]}
ACME_KEY=‹{HEX}›
ACME_KEY={HEX[:31]}
acme_key={MIXED[:16]}
ACME_KEYS={MIXED[:16]}
ACME_KEY="<{MIXED[:16]}>"
key: "‹{MIXED}›"
credentials: ‹{HEX}›
PROVIDER_TOKEN = "provider_token"
PROVIDER_TOKEN = "provider-token"
PROVIDER_TOKEN = "‹rtok›"
PROVIDER_TOKEN = "r_tok"
PROVIDER_TOKEN = "‹r_t5›"
password = get_password()
password = secrets[0]
token = "‹hunter2›"
token = os.environ
password: hunter(
password: ‹hunter2›
password: the one
password: ‹correct›
password = newPassword
password=newPassword
password=‹hunter›
password = ‹hunter›
token = hunter
token=‹hunter›
secret: MAX_SIZE
Authorization: Bearer ‹{MIXED}›
token: Bearer ‹{MIXED}›
"token": "Bearer ‹{MIXED}›"
"token": "bearer ‹{MIXED}›"
password: !vault x
password: ${{HUNTER}}
password: $(hunter2)
password: #{{x}}
password: {{{{ hunter2 }}}}
password: <%= x %>
password: Some("‹hunter2›")
password: SecretStr("‹hunter2›")
password: String::from("‹hunter2›")
<password>‹hunter2›</password>
<ns:password>‹hunter2›</ns:password>
password>hunter2</password>
<password><![CDATA[‹hunter2›]]></password>
<password></password>
"password": {{"a": "‹x1›", "b": ["‹y›", 5]}}
"session": {{"a": "x1"}}
"password": {{"type": "string", "a": "x1"}}
"password": {{"$ref": "x1"}}
"password" : "‹hunter2›"
'password' => '‹hunter2›'
password := ‹hunter2›
os.environ["DB_PASSWORD"] = "‹hunter2›"
[password]: ‹hunter2›
max_tokens: 4096
""".strip()
    .replace('["‹y›", 5]', '["‹y›"]')
    .splitlines()
)

HEADERS = f"""
Bearer ‹{MIXED[:12]}›
Bearer {MIXED[:11]}
Bearer abcdefghijklmnop
bearer ‹{HEX}›
Basic ‹{USER}›
basic ‹{USER}›
Basic Y2k6
Basic your-token-here-1
Bearer <token>
Authorization: ‹{MIXED}›
Authorization: token ‹{MIXED}›
Authorization: {MIXED[:7]}
"Authorization": "Token ‹token={MIXED}›"
authorization=Bearer xxxxxxxx
AUTH PLAIN ‹AGNpAGh1bnRlcjI=›
AUTH LOGIN ‹aHVudGVyMg›
AUTH OTHER aHVudGVyMg
Cookie: a=b; session=‹{MIXED}›; theme=dark
Cookie: sid=‹{MIXED[:12]}›
Cookie: sid={MIXED[:11]}
Cookie: theme=dark-and-gloomy-1234
Cookie: x=‹{MIXED[:16]}›
Cookie: x={MIXED[:15]}
Cookie: session=abcdefghijklmnop
set-cookie: jwt=‹{MIXED}›; Path=/
Set-Cookie2: jwt=‹{MIXED}›
Cookies: many
""".strip().splitlines()

ADDRESSES = f"""
https://ci:‹hunter2›@h.example.com/x
https://ci:‹h@nter2›@h.example.com/x
https://ci:‹hun/ter2›@h.example.com
https://h.example.com:80/x@y
https://h.example.com:8080
https://h.example.com:80,h2:80/x@y
https://user:‹hunter2›@h
https://user:password@h
https://user:secret@h
https://ci:‹password›@h
<user>:password@h
https://ci:<password>@h
https://x/?sig=‹{MIXED[:8]}›
https://x/?sig={MIXED[:7]}
https://x/?code=‹{MIXED}›
https://x/?code={MIXED[:19]}
https://x/?hmac=‹{MIXED}›
https://x/?ticket=‹{MIXED}›
https://x/?session=‹{MIXED}›
https://x/?mykey=‹{MIXED[:8]}›
https://x/?page_token=hunter2
https://x/?token=‹hunter2›;b=1
https://x/?token=xxxx
https://x/hooks/‹{MIXED[:16]}›
https://x/hooks/{MIXED[:8]}/{MIXED[:7]}/a
https://x/hooks/‹{HEX}›/y
https://x/hooks/‹{UUID}›
https://x/hooks/{HEX[:31].replace("a", "b")}
https://x/hooks/all-the-words-in-one
https://‹{MIXED}›@h
https://‹{MIXED}›:@h
https://‹{MIXED}›:‹x-oauth-basic›@h
https://a-very-long-user-name-it-is@h
https://{MIXED[:19]}@h
""".strip().splitlines()

COMMANDS = """
tool --password ‹hunter2› --quiet
tool --password --quiet
tool --password
tool -password ‹hunter2›
tool "--password", "‹hunter2›"
tool --no-token-check 1
tool --auth-key ‹hunter2›
tool --oauth2-bearer ‹hunter2›
tool --pass ‹hunter2›
tool --pw ‹hunter2›
tool --key hunter2
use --password to log in, then
use --password and then go
use --token. Then
openssl rsa -passin pass:‹hunter2›
openssl rsa -passin env:PASS
mysql -u ci -p‹hunter2› db
mysql -u ci -p db
mysqldump -p‹hunter2› db
nosql -pxhunter2
7z a -p‹hunter2› x
sshpass -p ‹hunter2› ssh h
sshpass -p=‹hunter2› ssh h
sshpass -e ssh h
docker run -p 8080:80 x
docker login -u ci -p ‹hunter2›
az login -u ci -p ‹hunter2›
redis-cli -a ‹hunter2› ping
redis-cli --pass ‹hunter2› ping
unzip -P ‹hunter2› x.zip
ldapsearch -w ‹hunter2› -x
cqlsh -p ‹hunter2›
curl -u ci:‹hunter2› https://x
curl -U ci:‹hunter2› https://x
curl --user "ci:‹hunter2›" https://x
curl --proxy-user ci:‹hunter2› https://x
curl -u ci https://x
lftp -u ci,‹hunter2› x
net use /p:‹hunter2›
cmdkey /pass:‹hunter2›
etcdctl --user root:‹hunter2› get
sqlplus ci/‹hunter2›@db
sqlplus ci/‹hunter2›@db/x
expdp "ci/‹hunter2@db›"
smbclient //h/s -U ci%‹hunter2›
htpasswd -bc f ci ‹hunter2› x
htpasswd -c f ci hunter2
""".strip().splitlines()

STATED = f"""
name: DB_PASSWORD, value: ‹hunter2›
name=DB_PASSWORD value=‹hunter2›
name: DB_HOST, value: hunter2
"key": "api_token", "value": "‹hunter2›"
name: DB_PASSWORD, value: ${{X}}
variable "db_password" {{ default = "‹hunter2›" }}
variable "db_host" {{ default = "hunter2" }}
define("DB_PASSWORD", "‹hunter22›")
define("DB_PASSWORD", "Some words")
define("DB_PASSWORD", hunter2)
set("access_token", "2024_first_step")
x.setPassword("‹hunter22›")
x.setPassword("hunter2")
x.password(hunter22)
x.apiKey("‹{MIXED}›")
<entry key="db.password">‹hunter2›</entry>
<entry key="db.host">hunter2</entry>
<key>Password</key><string>‹hunter2›</string>
ENV DB_PASSWORD ‹hunter2›
ENV DB_HOST hunter2
setx API_TOKEN ‹hunter2›
login ci password ‹hunter2›
h:5432:db:ci:‹hunter2›
h:5432:db:ci
auth=("ci", "‹hunter2›")
login("ci", "‹hunter2›")
IDENTIFIED BY '‹hunter2›'
WITH PASSWORD '‹hunter2›'
password = '‹hunter2›'
requirepass ‹hunter2›
requirepass ‹hunter›
requirepass "‹hunter2›"
requirepass hunt
bindpw ‹hunter2›;
password hunter
password ‹hunter2›
token required
db_token ‹hunter›
"requirepass ‹hunter2›"
"requirepass hunter"
"requirepass ‹hUnTeRsOnLyHuNtErS›"
token ‹{MIXED}› refused
token {MIXED[:19]} refused
token ‹{HEX}› refused
token {HEX[:31]} refused
the password is ‹hunter2›
the password is hunter
password ‹hunter22› refused
password hunter2 refused
password abcdef12 refused
password a/b/hunter22 refused
password v1.2hunter refused
key {MIXED} refused
key ‹{MIXED}{MIXED[:8]}› refused
key {MIXED}{MIXED[:7]} refused
api key ‹{MIXED}› refused
token a=b{MIXED}
token /{MIXED}/b refused
pat ‹{MIXED}›@h
the token ‹{MIXED}›@h.example.com/x
echo ‹hunter2› | docker login --password-stdin
echo "‹hunter2›" | sudo -S ls
printf '%s' ‹hunter2› | passwd --stdin ci
echo $HUNTER | docker login --password-stdin
echo ${{HUNTER}} | docker login --password-stdin
echo hunter2 | grep x
{{"kty": "oct", "k": "‹abcdefghijklmnop›"}}
{{"kty": "oct", "k": "abcdefghijklmno"}}
{{"type": "oct", "k": "abcdefghijklmnop"}}
""".strip().splitlines()

ROWS = [*ASSIGNED, *HEADERS, *ADDRESSES, *COMMANDS, *STATED]


@pytest.mark.parametrize("marked", ROWS)
@pytest.mark.parametrize("around", ["{}", "first line\n{}\nlast line\n"])
def test_what_is_marked_goes_and_nothing_else(marked: str, around: str) -> None:
    text = around.replace("{}", re.sub("[‹›]", "", marked))
    wanted = around.replace("{}", re.sub("‹[^›]*›", REDACTED, marked))
    assert mask_text(text).text == wanted
