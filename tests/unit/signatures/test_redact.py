"""What must not be repeated in public, and what has to stay for a diagnosis."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signatures.extract.redact import redact

HEX40 = "174be11ea7aeacd8d0d67b0ba1daebec615284b1"
HEX64 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"C:\Users\Jane Doe\.foundry\cache", r"C:\Users\<user>\.foundry\cache"),
        (r"C:\\Users\\jane\\x", r"C:\\Users\\<user>\\x"),
        ("/home/jane/.cache and /Users/jane/x", "/home/<user>/.cache and /Users/<user>/x"),
        ("token ghp_abcdefghijklmnopqrstuv12", "token <token>"),
        ("use hf_abcdefghijklmnopqrst", "use <token>"),
        ("AKIAABCDEFGHIJKLMNOP", "<token>"),
        ("Authorization: Bearer abcdef.ghijkl", "Authorization: Bearer <secret>"),
        ("https://jane:pass@example.org/x", "https://<secret>@example.org/x"),
        ("mail jane@example.org", "mail <e-mail>"),
        ("     Machine name: DESKTOP-1AB", "     Machine name: <host>"),
        ("Machine Id: {12345678-ABCD-0000-1111-222233334444}", "Machine Id: <host>"),
        ("hostname=build7", "hostname=<host>"),
        ("jane@mac ~ % foundry run x", "<user>@<host> ~ % foundry run x"),
        ("OPENAI_API_KEY=abc foundry run x", "OPENAI_API_KEY=<secret> foundry run x"),
        ("Server=db;Password=p,w;Database=x", "Server=db;Password=<secret>;Database=x"),
        ("https://example.org/a?token=abc&b=1", "https://example.org/a?token=<secret>&b=1"),
        ('{"apiKey": "a b", "model": "phi"}', '{"apiKey": "<secret>", "model": "phi"}'),
        ("foundry --api-key abc --model phi", "foundry --api-key <secret> --model phi"),
        (r"\\server01\share\maxm", r"\\<host>\share\<user>"),
        ("Jan 12 10:00:00 build7 kernel: oom", "Jan 12 10:00:00 <host> kernel: oom"),
        ("Linux build7 6.8.0-31-generic #31-Ubuntu SMP", "Linux <host> 6.8.0-31-generic #31-Ubuntu SMP"),
        ("[maxm@build7 dir]$ ls", "[<user>@<host> dir]$ ls"),
    ],
)
def test_it_is_replaced_and_nothing_else(text: str, shown: str) -> None:
    assert redact(text) == shown


WORD = "Zq7xK2"
SAID = (  # what people call it
    "passphrase", "pass phrase", "Pass-Phrase", "pass_phrase", "passcode", "password", "pwd", "pw", "client secret",
    "clientSecret", "app secret", "encryption key", "license key", "recovery key", "recovery code", "access code",
    "verification code", "Mot de passe", "Passwort", "Kennwort", "contraseña", "Contrasena", "clave", "senha", "пароль",
    "パスワード", "密码", "비밀번호", "wachtwoord", "hasło", "lösenord", "salasana", "adgangskode", "Şifre", "parola",
    "mật khẩu", "heslo", "jelszó", "kata sandi", "κωδικός", "كلمة المرور", "סיסמה", "पासवर्ड", "รหัสผ่าน", "секрет",
    "токен", "Geheimnis",
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        *(
            f"{name}={WORD}"
            for name in (
                "AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY", "MY_API_KEY", "DB_PASSWORD", "HUGGING_FACE_HUB_TOKEN",
                "NPM_TOKEN", "HF_TOKEN", "TOKEN", "token", "password", "pwd", "dbpwd", "PGPASSWORD", "MYSQL_ROOT_PASS",
                "client_secret", "SharedAccessKey", "AccountKey", "apikey", "GITHUBTOKEN", "AZURE_OPENAI_KEY",
                "passphrase", "_authToken", "PASSWORD_PROD", "credentials", "密码",
            )
        ),
        *(
            f"{name}: {WORD}"
            for name in ("token", "Password", "api key", "X-Api-Key", "access_token", '"secret"', "private-token")
        ),
        *(f"run {flag} {WORD}" for flag in ("--password", "--api-key", "--token", "--hf-token", "-Password",
        "--secret")),
        f"the password is {WORD}",
        f"my api key is {WORD}",
        f"password=x{WORD[:3]}",
        f'password = "two {WORD}"',
        f"'token': '{WORD}'",
        rf'{{\"api_key\": \"{WORD}\"}}',
        f"<password>{WORD}</password>",
        f"setx HF_TOKEN {WORD}",
        f"machine x login jane password {WORD}",
        f"curl -u jane:{WORD} https://example.org",
        f"Cookie: a=b; session={WORD}; c=d",
        f"Set-Cookie: id={WORD}; Path=/",
        f'Authorization: Digest username="jane", realm="x", response="{WORD}"',
        f"Authorization: AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature={WORD}",
        f"Authorization: {WORD}",
        f'-H "authorization: Token {WORD}"',
        f"Proxy-Authorization: Basic {WORD}",
        f"Bearer {WORD}",
        f"https://ghp_{WORD}@github.com/x",
        f"https://{WORD}@example.org/x",
        f"https://jane:p@{WORD}@example.org/x",
        f"postgres://jane:{WORD}@db/x",
        f"token {WORD}{WORD}{WORD}{WORD}",
        f"passphrase: {WORD} two three four",
        f"my passphrase is correct horse {WORD}",
        f"seed phrase: one two three {WORD} five",
        f"Server=db;UID=jane;PWD={WORD};Database=x",
        f"jdbc:oracle:thin:jane/{WORD}@db:1521/x",
        f"BlobEndpoint=https://x;SharedAccessSignature=sv=2020&sig={WORD}{WORD}{WORD}%3D",
        f"bearer: {WORD}",
        f"Bearer={WORD}",
        f"cookies: a={WORD}; b={WORD}",
        f"document.cookie = 'a={WORD}'",
        f"JSESSIONID={WORD}",
        f"connect.sid=s%3A{WORD}",
        f"creds: jane:{WORD}",
        f"login: jane / {WORD}",
        f"user: jane, pass: {WORD}",
        f"sshpass -p {WORD} ssh build7",
        f"mysql -u root -p{WORD} shop",
        f"**Password:** {WORD}",
        f"| Password | {WORD} |",
        f"password -> {WORD}",
        f"### Password\n\n{WORD}\n\n### Version",
    ],
)  # fmt: skip
def test_what_a_name_says_is_secret_does_not_stay(text: str) -> None:
    assert WORD[:3] not in redact(text)


@pytest.mark.parametrize(
    "token",
    [
        "sk_live_" + "a1" * 8,
        "sk-proj-" + "aB1" * 10,
        "xapp-1-A02-33-abcdef",
        "xoxb-1234-abcdefgh",
        "nvapi-" + "aB1_" * 8,
        "dckr_pat_" + "aB1-" * 6,
        "ya29." + "aB1_" * 6,
        "SG." + "aB1_" * 4 + "." + "cD2-" * 6,
        "glpat-" + "aB1_" * 5,
        "github_pat_" + "aB1" * 10,
        "AIza" + "aB1" * 12,
        "eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJ",
        "gsk_" + "aB1" * 12,
        "hooks.slack.com/services/T0/B0/abcdefgh",
    ],
)
@pytest.mark.parametrize("frame", ["{}", "it printed {} and stopped", "key_{}", "({})", '"{}",'])
def test_a_token_says_itself_what_it_is(token: str, frame: str) -> None:
    if frame == "key_{}" and token.startswith("SG"):
        frame = "{}"
    assert token[8:] not in redact(frame.format(token))


def test_glued_tokens_of_hubs_are_found() -> None:
    assert redact("api_hf_abcdefghijklmnopqrst") == "api_<token>"
    assert redact("x_ghp_0123456789abcdefghij") == "x_<token>"


@pytest.mark.parametrize("text", ["PIN: {}", "pin={}", "my PIN is {}.", "PIN code: {}", "OTP: {}", "2FA code: {}"])
def test_numbers_that_are_kept_secret_do_not_stay(text: str) -> None:
    assert "482193" not in redact(text.format("482193"))


@given(
    st.sampled_from(SAID),
    st.sampled_from((": ", "=", " = ", "：", " : ", ":\t", ' = "', ":** ", " -> ")),
    st.text("abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ", min_size=4, max_size=30),
    st.text("23456789", min_size=2, max_size=6),
    st.sampled_from(("", "\n", " and it failed", "; x", '"')),
)
def test_whatever_stands_behind_its_name_does_not_stay(name: str, sign: str, word: str, digits: str, end: str) -> None:
    secret = f"{word}{digits}"
    assert secret not in redact(f"It asked.\n{name}{sign}{secret}{end}")


@pytest.mark.parametrize(
    "block",
    [
        "-----begin rsa private key-----\n{}\n-----end rsa private key-----\n",
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\n",
        "Private-Lines: 2\n{}\n{}\n",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 2\n\n{}\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----\n",
    ],
)
def test_key_blocks_of_any_kind_do_not_stay(block: str) -> None:
    shown = redact(f"a\n{block.format(*['MIIEpAIBAAKCAQEAabcdefghijklmnop'] * 2)}Error: it failed")
    assert "MIIE" not in shown
    assert shown.endswith("Error: it failed")


@pytest.mark.parametrize("end", ["\n-----END RSA PRIVATE KEY-----", ""])
def test_a_key_block_does_not_stay_even_cut(end: str) -> None:
    body = "MIIEpAIBAAKCAQEAabcdefghijklmnop\nqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
    shown = redact(f"a\n-----BEGIN RSA PRIVATE KEY-----\n{body}{end}\nError: it failed")
    assert shown == "a\n<key>\nError: it failed"


@pytest.mark.parametrize(
    "text",
    [
        "/mnt/c/Users/maxm", "/c/Users/maxm/x", "/var/home/maxm/x", "/export/home/maxm", "/data/home/maxm",
        "-L/home/maxm/lib", r"D:\home\maxm\x", "/Users/Jo Maxm/Library", r"at C:\Users\Jo Maxm",
        "file:///C:/Users/maxm/x", "file:///home/maxm/x", r"\\?\C:\Users\maxm\x", "[maxm@build7 dir]$ ls",
        "maxm@build7:~/x$ ls", "maxm@build7 MINGW64 ~/x (main)", "MachineName: maxm", "Host Name:               maxm",
        "  Static hostname: maxm", "COMPUTERNAME=maxm", "USER=maxm", "export LOGNAME=maxm", "User Name: maxm",
        "Registered Owner:          maxm", r"Logon Server:              \\maxm",
        "2026-05-01T10:00:00Z maxm foundry[12]: x",
        "Jan  2 10:00:00 maxm systemd[1]: x", "Darwin maxm.local 23.4.0 Darwin Kernel Version",
        "maxms-MacBook-Pro.local",
        "DESKTOP-MAXM12", "ssh maxm@build7", "scp -P 22 maxm@build7:/x .", "maxm@example.org", "maxm@163.com",
        "/run/media/maxm/usb",
        r"\\wsl$\Ubuntu\home\maxm\x", r"\\wsl.localhost\Ubuntu-24.04\home\maxm", "//wsl$/Ubuntu/home/maxm/x",
        r'{"path": "\\\\wsl$\\Ubuntu\\home\\maxm\\x"}', "jo.maxm%40example.com", "maxm%2540example%2Ecom", "cd ~maxm/x",
        "PATH=~maxm/bin:/usr/bin", "DESKTOP-MAXM123WebGPU failed", "onLAPTOP-MAXM1234failed", "it failed./home/maxm/x",
        "in scope).:/Users/maxm", "scope./home/maxm", "C:%5CUsers%5Cmaxm%5Cx", "file:///C%3A/Users/maxm/x",
        "C%3A%5CUsers%5CJo%20Maxm%5Cx", "%2Fhome%2Fmaxm%2Fx", "?path=%252FUsers%252Fmaxm&x=1",
        "c:%2Fusers%2Fmaxm", "FILE:///c:/users/maxm/x",
    ],
)  # fmt: skip
def test_names_of_people_and_machines_do_not_stay(text: str) -> None:
    assert "maxm" not in redact(text).lower()


SECRETS = (
    "Authorization: Bearer {}", "password={}", "api_key: {}", '"access_token": "{}"', "AccountKey={}", "ghp_{}",
    "X-Api-Key: {}", "--token {}", "https://jane:{}@example.org/x", "Cookie: sid={}",
)  # fmt: skip
WORDS = "Zq7xK2pW9vTr4LmB8nYc3HdS6fJ1gA5eQ0uR"


@given(st.sampled_from(SECRETS), st.integers(1, len(WORDS) - 1), st.integers(60, 100), st.sampled_from(("\n", "\r\n")))
def test_what_a_console_broke_over_two_lines_does_not_stay(secret: str, at: int, before: int, end: str) -> None:
    line = f"{'x ' * (before // 2)}{secret.format(WORDS[:at] + end + WORDS[at:])} WebGPU validation failed."
    shown = redact(line)
    parts = [WORDS[:at], WORDS[at:]]
    assert not [part for part in parts if len(part) >= 6 and part in shown]
    assert shown.endswith("WebGPU validation failed.")


@given(
    st.sampled_from(("password", "api_key", '"client_secret"', "Authorization", "token")),
    st.sampled_from((":\n", "=\n", ": \n  ", ":\r\n\t", ":\n> ")),
)
def test_a_value_on_the_line_behind_its_name_does_not_stay(name: str, sign: str) -> None:
    quote = '"' if '"' in name else ""
    assert WORDS not in redact(f"It asked.\n{name}{sign}{quote}{WORDS}{quote} WebGPU validation failed.")


@pytest.mark.parametrize(
    "text",
    [
        "password=Zq7xK2pW\nWebGPU validation failed.", "HF_TOKEN=Zq7xK2pW9v\n2026-12-01T08:00:00Z it failed",
        "token: Zq7xK2pW9vTr4\n1.27.0 is installed", "Authorization: Bearer Zq7xK2pW9vTr4L\nE0000 00:00 file.cc:12] x",
        "api_key=Zq7xK2pW9vTr4LmB\n0xC0000005 was raised", "password: Zq7xK2pW\nerror: the model failed to load",
    ],
)  # fmt: skip
def test_what_stands_on_the_line_behind_a_secret_stays(text: str) -> None:
    assert redact(text).partition("\n")[2] == text.partition("\n")[2]
    assert "Zq7xK2" not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        # packages, files and places in them
        "npm i onnxruntime-web@1.24.3", "onnxruntime-web@1.27.0.dev", "onnxruntime-web@1.27.0 # the newest",
        "@litert-lm/core", "@litert-lm/core@0.1.2", "libfoo@1.2.so", "foo@bar.js:10", "at run (main.ts:12:34)",
        "session.cc:123", "git@github.com:microsoft/onnxruntime.git", "sk-learn-something-long-x", "sk-learn 1.5.2",
        "https://cdn.jsdelivr.net/npm/onnxruntime-web@1.27.0/dist/ort.min.js", "src/home/index.ts:10",
        "https://example.org/home/index", "docker run -u 1000:1000 image",
        # models and their hashes
        f"sha256: {HEX64}", f"sha256:{HEX64}", f"revision={HEX40}", f"cache key {HEX40}", f"key: {HEX64}",
        f"microsoft/Phi-4-mini@{HEX40}", "qwen3.5-0.8b-cuda-gpu:3", "onnx-community/Qwen3.5-2B-ONNX",
        # words of the field that secrets share
        "eos_token_id: 151645", "eos_token: 5", 'bos_token = "<s>"', "Unexpected token: }",
        "SyntaxError: Unexpected token '<'",
        "first token: 320 ms", "max_tokens=2048", "tokenizer: Qwen2Tokenizer", "TokenizerFast: true", "tokens: 12",
        "num_key_value_heads: 8", "past_key_values.0.key: float16[1,8,128,128]", "key: past_key_values.0.key",
        "KeyError: 'decoder'", "monkey: banana", "key = value", "missing key: decoder.block_count",
        "session: InferenceSession", "session_id=12", "Session options: default", "author: somebody", "auth: none",
        "the token is invalid", "password is required", "The API key is missing", "token_count: 123456",
        "HF_TOKEN=$HF_TOKEN", "token=os.environ['HF_TOKEN']", "password: <hidden>", "PWD=/opt/foundry",
        "password_file=/x",
        "PIN: 4", "pin: 1.27.0", "Erlang/OTP 26", "OTP: 26", "auth code: 401", "access code: 0xC0000005",
        "exit code: 1234", "pass: ConvAddFusion2", "passed: 12", "bypass: x1", "enclave: SGX2", "passphrase: not set",
        "pw = ' '.join(x)",
        "PWD=C:\\x", "### Password\n\n_No response_", "### Session\n\nInferenceSession", "The token\n\nabc12 follows",
        "huge logs, secrets | PR#53 |", "| token | id |", "| eos_token_id | 151645 |", "mysql -u root -p",
        "login: /usr/bin/x", "clé: oui", "bearer: token", "basic: example", "a cookie: none",
        "Bearer authentication is required", "basic example works", "compute_pass: 3", "render pass: done",
        "takes ~2/3 of it", "~half a minute", "runs at ~tokens/s", "~/models/x", "cp ./home/index.html", "../home/x",
        "q=onnx%2Fhomebrew%2Fx", "100%40", "onnxruntime-web%401.27.0", "%2Fhome",
        # hosts and users that tell nobody apart
        "Node name: 'MatMul_12'", "Device name: NVIDIA L4", "Machine Id: {<guid>}",
        "the host name: is not known", "/Users/runner/work", "hostname: localhost", "C:\\Users\\Public\\x",
        "HOST=0.0.0.0",
        "2026-05-01T10:00:00Z ERROR foundry[12]: x", "user: hello", r"C:\\Program Files\\Foundry", r"\\.\pipe\foundry",
    ],
)  # fmt: skip
def test_what_a_diagnosis_needs_stays(text: str) -> None:
    assert redact(text) == text


PIECES = st.sampled_from(
    (
        "token",
        "key",
        "password",
        "secret",
        "=",
        ":",
        '"',
        "'",
        "<secret>",
        "<user>",
        "@",
        "/",
        "\\",
        "\n",
        "C:\\Users\\",
        "/home/",
        "Max",
        "Bearer",
        "Authorization:",
        "Cookie:",
        "https://",
        "eyJ",
        "sk-",
        "hf_",
        "abcdefghij0123456789",
        "a.b",
        ".js",
        "is",
        "--",
        "login",
        ",",
        ";",
        "&",
        "-----BEGIN",
        "\x00",
        "é",
    )
)


@given(st.lists(PIECES, max_size=14).map("".join) | st.lists(PIECES, max_size=14).map(" ".join))
def test_any_text_is_taken(text: str) -> None:
    assert redact(redact(text)) is not None


@pytest.mark.parametrize(
    "piece",
    [
        "token=", 'token="', "password is ", "-----BEGIN PRIVATE KEY-----", "a@", "a@b.", "C:\\Users\\", "/home/",
        "http://",
        "eyJ", "cookie: a=b;", 'authorization: digest a="', "Jan 12 10:00:00 ", "\\\\a\\b ", "_", "key.", "password=a,",
        "passphrase: ", "pass phrase is a b c d ", "pin: ", "mysql -p", "private-lines: 1\n",
        "---- BEGIN PRIVATE KEY ----\n", "~a/b ", "%2Fhome%2F", "%2Fhome%2Fa%20", "a%40", "a%40b.", "wsl$\\a\\",
        "a./home/", "password=a1b2c3\na1b2c3", "<secret>\na1b2c3", "x" * 50 + "_\n", "x" * 50 + ".\na1b2c3\n",
        "-----BEGIN PRIVATE KEY----- ---- END ", "| token | ",
        "### password\n\n", "cookies=a=b;", "login: a / ", "clave: ", "oracle:thin:a/", "\n", "# ", "|",
        "/home/Max Max Max ", "host name: ", "token=\n", "\\", "key=", "key='", "auth:",
    ],
)  # fmt: skip
def test_it_takes_linear_time(piece: str) -> None:
    def taken(length: int) -> float:
        text = piece * (length // len(piece))
        started = time.process_time()
        redact(text)
        return time.process_time() - started

    # four times the text takes four times as long; what looks back at all of it takes sixteen times
    assert taken(100_000) < 8 * taken(25_000) + 0.2


@pytest.mark.parametrize(
    "token",
    [
        "dop_v1_" + "0a1b2c3d" * 8,
        "SK" + "0a1b2c3d" * 4,
        "MTk4NjIyNDgzNDcxOTI1MjQ4" + ".Cl2FMQ." + "ZnCjm1XVW7vRze4b7Cq4se7kKWs",
    ],
)
def test_tokens_of_hosts_and_messengers(token: str) -> None:
    assert redact(f"sent with {token}, and refused") == "sent with <token>, and refused"
