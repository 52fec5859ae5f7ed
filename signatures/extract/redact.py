"""What must not be repeated in public: credentials, and names of people and of their machines.

It works on text of any origin, keeps what a diagnosis needs (paths below the home folder, versions, hashes of models,
places in files), and does not promise to find every secret. What it looks for is in `credentials` and `identities`,
which are loaded only where a text holds a word of theirs.
"""

from __future__ import annotations

from signatures.linear import linear

# Of names of values, in lower case; what follows such a word may be a secret
_CREDENTIAL_NAMES = (
    "token",
    "secret",
    "pass",
    "pwd",
    "pw",
    "pin:",
    "pin=",
    "pin is",
    "pin code",
    "pin number",
    "otp",
    " phrase",
    " code",
    "mysql",
    "oracle:thin:",
    "private-lines:",
    "key",
    "credential",
    "creds",
    "auth",
    "bearer",
    "basic",
    "cookie",
    "session",
    "sessid",
    "connect.sid",
    "login:",
    "sig=",
    "signature=",
    "密码",
    "密碼",
    "密钥",
    "令牌",
    "口令",
    "パスワード",
    "비밀번호",
    "암호",
    "пароль",
    "contraseña",
    "kennwort",
    "senha",
    "contrasena",
    "clave",
    "wachtwoord",
    "hasło",
    "haslo",
    "lösenord",
    "losenord",
    "salasana",
    "adgangskode",
    "şifre",
    "sifre",
    "parola",
    "mật khẩu",
    "heslo",
    "jelszó",
    "jelszo",
    "kata sandi",
    "κωδικ",
    "كلمة المرور",
    "كلمة السر",
    "סיסמה",
    "סיסמא",
    "पासवर्ड",
    "รหัสผ่าน",
    "geheimnis",
    "секрет",
    "токен",
    "ключ",
    "schlüssel",
    "clé",
)
# Of values that say themselves what they are, in lower case
_TOKEN_MARKS = (
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "_pat_",
    "_oat_",
    "_v1_",
    "hf_",
    "sk-",
    "sk_",
    "rk_",
    "pk_",
    "xox",
    "xapp-",
    "glpat-",
    "gldt-",
    "glrt-",
    "npm_",
    "pypi-",
    "nvapi-",
    "akia",
    "asia",
    "aiza",
    "eyj",
    "ya29.",
    "1//0",
    "sg.",
    "gocspx-",
    "hvs.",
    "gsk_",
    "xai-",
    "r8_",
    "pplx-",
    "whsec_",
    "hooks.slack.com",
    "/api/webhooks/",
    ":aa",
    "age-secret-key-",
    "-----begin",
    "---- begin",
)
# Twilio's keys and Discord's tokens, which bear no mark
_UNMARKED = r"\b(?:SK|AC)[0-9a-f]{32}\b|\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}"
_IDENTITY_MARKS = (
    "users",
    "documents and settings",
    "home",
    "/media/",
    "machine",
    "computer",
    "host",
    "user",
    "owner",
    "logon",
    "logname",
    "logged",
    "serial",
    "guid",
    "desktop-",
    "laptop-",
    "macbook",
    "ssh ",
    "scp ",
    "darwin ",
    "linux ",
    "\\\\",
    "㉿",
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def redact(text: str) -> str:
    """`text` without tokens, passwords, e-mail addresses, home folder names and machine names.

    Each is replaced by a word in angle brackets (`<token>`, `<secret>`, `<user>`, `<host>`, `<e-mail>`); the length
    changes. It takes linear time, and what is redacted already stays as it is.
    """
    lower = text.casefold()
    tokens = any(mark in lower for mark in _TOKEN_MARKS) or linear(_UNMARKED).search(text) is not None
    named = any(word in lower for word in _CREDENTIAL_NAMES)
    at = "@" in text
    if tokens or named or at or "://" in text:
        from signatures.extract.credentials import without_credentials

        text = without_credentials(text, tokens=tokens, named=named)
    if at or any(mark in lower for mark in _IDENTITY_MARKS) or _like_syslog(text):
        from signatures.extract.identities import without_identities

        text = without_identities(text)
    return text


def _like_syslog(text: str) -> bool:
    return ":" in text and (any(month in text for month in _MONTHS) or ("T" in text and "]:" in text))
