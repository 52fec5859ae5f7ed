"""Reading what the caller hands over: texts, files, issues as JSON, threads as text."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from bot.errors import InputError
from bot.input.issue_file import LARGEST, read_input
from signatures.model import Role

ERROR = "Duplicate definition of name (pad_CUDAExecutionProvider)."


def write(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def issue_record(**changes: object) -> dict[str, object]:
    record: dict[str, object] = {
        "html_url": "https://github.com/microsoft/foundry-local/issues/1075",
        "url": "https://api.github.com/repos/microsoft/foundry-local/issues/1075",
        "number": 1075,
        "title": "Model fails to load",
        "body": ERROR,
        "user": {"login": "someone", "type": "User"},
        "author_association": "NONE",
        "created_at": "2026-08-01T10:00:00Z",
    }
    return record | changes


def comment_record(login: str, body: str, association: str = "NONE", **changes: object) -> dict[str, object]:
    return {"user": {"login": login, "type": "User"}, "author_association": association, "body": body} | changes


def read_json(folder: Path, value: object) -> tuple[tuple[Role, str], ...]:
    given = read_input(write(folder, "issue.json", json.dumps(value)))
    return tuple((p.role, p.text) for p in given.issue.posts)


class TestTexts:
    def test_a_sentence_is_the_text_itself(self) -> None:
        given = read_input(ERROR)
        assert given.issue.posts[0].text == ERROR
        assert given.issue.posts[0].role is Role.REPORTER
        assert given.issue.posts[0].markdown is False

    @pytest.mark.parametrize("text", ["", " ", "\n\t \n"])
    def test_an_empty_text_is_refused_with_a_sentence(self, text: str) -> None:
        with pytest.raises(InputError, match="the text is empty"):
            read_input(text)

    @pytest.mark.parametrize("word", ["0xC0000005", "op_handler_failed", "std::bad_alloc", "MemcpyFromHost(1)"])
    def test_one_word_that_is_no_path_is_a_text(self, word: str) -> None:
        assert read_input(word).issue.posts[0].text == word

    @pytest.mark.parametrize("word", ["missing.log", "logs/today", r"C:\logs\today", "./x", "issue.JSON", "notes.md"])
    def test_one_word_that_looks_like_a_path_must_exist(self, word: str) -> None:
        with pytest.raises(InputError, match="there is no file") as caught:
            read_input(word)
        assert "--text" in str(caught.value)

    def test_a_path_in_a_sentence_is_part_of_a_text(self) -> None:
        text = "cannot open /usr/lib/libfoo.so"
        assert read_input(text).issue.posts[0].text == text

    def test_an_address_is_refused_with_a_way_out(self) -> None:
        with pytest.raises(InputError, match="reads no network"):
            read_input("https://github.com/microsoft/foundry-local/issues/1075")

    def test_an_existing_path_is_a_file_and_text_forces_text(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(tmp_path, "error", ERROR)
        monkeypatch.chdir(tmp_path)
        assert read_input("error").issue.posts[0].text == ERROR
        assert read_input("error", text=True).issue.posts[0].text == "error"

    def test_bytes_of_another_encoding_in_an_argument_become_replacement_characters(self) -> None:
        text = b"Fehler \xff beim Laden".decode("utf-8", "surrogateescape")
        assert read_input(text).issue.posts[0].text == "Fehler � beim Laden"

    def test_a_lone_surrogate_in_an_argument_is_replaced(self) -> None:
        assert "\ud800" not in read_input("bad \ud800 text").issue.posts[0].text


class TestFiles:
    def test_a_log_file_is_not_markdown(self, tmp_path: Path) -> None:
        given = read_input(write(tmp_path, "run.log", f"# 12 nodes placed\n{ERROR}\n"))
        assert given.issue.posts[0].markdown is False

    def test_a_pasted_issue_body_is_markdown(self, tmp_path: Path) -> None:
        given = read_input(write(tmp_path, "body.md", f"### Describe the issue\n\n```\n{ERROR}\n```\n"))
        assert given.issue.posts[0].markdown is True

    def test_utf16_and_a_byte_order_mark_are_read(self, tmp_path: Path) -> None:
        assert read_input(write(tmp_path, "a.log", ERROR.encode("utf-16"))).issue.posts[0].text == ERROR
        assert read_input(write(tmp_path, "b.log", b"\xef\xbb\xbf" + ERROR.encode())).issue.posts[0].text == ERROR

    def test_a_few_stray_zero_bytes_are_left_out(self, tmp_path: Path) -> None:
        data = b"loading\x00\n" + ERROR.encode() + b"\n" + bytes(4096)
        assert read_input(write(tmp_path, "run.log", data)).issue.posts[0].text == f"loading\n{ERROR}\n"

    def test_a_text_in_another_encoding_is_refused_with_what_to_do(self, tmp_path: Path) -> None:
        data = "モデルの読み込みに失敗しました".encode("shift_jis")
        with pytest.raises(InputError, match=r"is not text in UTF-8, UTF-16 or Windows-1252 .*; save a text"):
            read_input(write(tmp_path, "run.log", data))

    def test_a_binary_file_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="is not text"):
            read_input(write(tmp_path, "model.onnx", bytes(range(256)) * 40))

    def test_an_empty_file_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="is empty"):
            read_input(write(tmp_path, "empty.log", b""))

    def test_a_folder_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="is a folder"):
            read_input(str(tmp_path))

    def test_a_large_file_is_refused_before_it_is_read(self, tmp_path: Path) -> None:
        path = tmp_path / "large.log"
        with path.open("wb") as f:
            f.truncate(60 * 1024 * 1024)
        with pytest.raises(InputError, match="is 60 MiB; the limit is 20 MiB"):
            read_input(str(path))

    def test_standard_input_stops_at_the_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Endless(io.RawIOBase):
            given = 0

            def read(self, size: int = -1) -> bytes:
                self.given += size
                return b"x" * size

        endless = Endless()
        monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": endless}))
        with pytest.raises(InputError, match="larger than 20 MiB"):
            read_input("-")
        assert endless.given <= LARGEST + 2 * 1024 * 1024

    def test_closed_standard_input_is_a_sentence(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.stdin", None)
        with pytest.raises(InputError, match="standard input is closed"):
            read_input("-")


class TestIssuesAsJson:
    def test_an_issue_with_comments_keeps_who_wrote_what(self, tmp_path: Path) -> None:
        value = {
            "issue": issue_record(),
            "comments": [
                comment_record("maintainer", "Fixed in revision 4.", "MEMBER"),
                comment_record("someone", "Works now.", "NONE"),
                comment_record("bystander", "Same here."),
                comment_record("helper[bot]", "Labels added.", "CONTRIBUTOR"),
                comment_record("app", "A note.", "NONE", user={"login": "app", "type": "Bot"}),
            ],
        }
        roles = [role for role, _ in read_json(tmp_path, value)]
        assert roles == [Role.REPORTER, Role.MAINTAINER, Role.REPORTER, Role.OTHER, Role.BOT, Role.BOT]

    def test_the_author_is_the_reporter_even_when_a_member(self, tmp_path: Path) -> None:
        value = {
            "issue": issue_record(author_association="OWNER"),
            "comments": [comment_record("Someone", "More logs.", "OWNER")],
        }
        assert [role for role, _ in read_json(tmp_path, value)] == [Role.REPORTER, Role.REPORTER]

    def test_what_an_app_wrote_with_a_persons_token_is_no_persons_word(self, tmp_path: Path) -> None:
        app: dict[str, object] = {"performed_via_github_app": {"slug": "another-app"}}
        comments = [comment_record("boss", "Known.", "OWNER", **app), comment_record("someone", "hm", **app)]
        value = {"issue": issue_record(**app), "comments": comments}
        assert [role for role, _ in read_json(tmp_path, value)] == [Role.REPORTER, Role.BOT, Role.BOT]

    def test_a_bare_issue_object_is_accepted(self, tmp_path: Path) -> None:
        given = read_input(write(tmp_path, "issue.json", json.dumps(issue_record())))
        assert given.issue.title == "Model fails to load"
        assert given.issue.ref == "microsoft/foundry-local#1075"
        assert given.issue.created_at == "2026-08-01T10:00:00Z"
        assert given.issue.posts[0].markdown is True

    def test_what_gh_prints_is_a_thread(self, tmp_path: Path) -> None:
        value = {
            "title": "Model fails to load",
            "body": ERROR,
            "author": {"id": "x", "is_bot": False, "login": "someone", "name": "Some One"},
            "url": "https://github.com/microsoft/foundry-local/issues/1075",
            "createdAt": "2026-08-01T10:00:00Z",
            "comments": [
                {"author": {"login": "maintainer"}, "authorAssociation": "MEMBER", "body": "Take revision 4."},
                {"author": {"login": "someone"}, "authorAssociation": "NONE", "body": "Works now."},
                {"author": {"login": "app/dependabot", "is_bot": True}, "authorAssociation": "NONE", "body": "Stale."},
                {"author": {"login": ""}, "authorAssociation": "NONE", "body": "Gone."},
            ],
        }
        given = read_input(write(tmp_path, "issue.json", json.dumps(value)))
        assert [p.role for p in given.issue.posts] == [
            Role.REPORTER, Role.MAINTAINER, Role.REPORTER, Role.BOT, Role.OTHER,
        ]  # fmt: skip
        assert given.issue.ref == "microsoft/foundry-local#1075"
        assert given.issue.created_at == "2026-08-01T10:00:00Z"

    def test_the_number_of_comments_in_a_rest_object_is_no_list_of_them(self, tmp_path: Path) -> None:
        assert len(read_json(tmp_path, issue_record(comments=3))) == 1

    def test_comments_without_their_issue_are_refused_wherever_they_come_from(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        data = json.dumps([comment_record("a", "b")])
        with pytest.raises(InputError, match="is a JSON list, not an issue"):
            read_input(write(tmp_path, "comments.json", data))
        monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": io.BytesIO(data.encode())}))
        with pytest.raises(InputError, match="is a JSON list, not an issue"):
            read_input("-")

    def test_deleted_accounts_missing_bodies_and_pull_requests_are_fine(self, tmp_path: Path) -> None:
        value = {
            "issue": issue_record(user=None, body=None, pull_request={"url": "https://api.github.com/x"}, extra=[1]),
            "comments": [comment_record("x", "") | {"user": None, "body": None}],
        }
        # two deleted accounts need not be one person
        assert read_json(tmp_path, value) == ((Role.REPORTER, ""), (Role.OTHER, ""))

    def test_the_reference_comes_from_whichever_address_is_there(self, tmp_path: Path) -> None:
        record = issue_record(html_url=None, url=None, repository_url="https://api.github.com/repos/o/r", number=7)
        assert read_input(write(tmp_path, "issue.json", json.dumps(record))).issue.ref == "o/r#7"
        record = issue_record(html_url="https://github.example.org/o/r/pull/8", url=None)
        assert read_input(write(tmp_path, "issue.json", json.dumps(record))).issue.ref == "o/r#8"
        record = issue_record(html_url=None, url=None)
        assert read_input(write(tmp_path, "issue.json", json.dumps(record))).issue.ref is None

    @pytest.mark.parametrize(
        ("change", "key"),
        [
            ({"body": 5}, "issue.body must be text or null, but is a number"),
            ({"title": ["x"]}, "issue.title must be text or null, but is a list"),
            ({"user": "someone"}, "issue.user must be an object or null, but is text"),
            ({"author_association": {}}, "issue.author_association must be text or null, but is an object"),
        ],
    )
    def test_a_wrong_type_is_named_with_its_key(self, tmp_path: Path, change: dict[str, object], key: str) -> None:
        with pytest.raises(InputError) as caught:
            read_json(tmp_path, {"issue": issue_record(**change), "comments": []})
        assert key in str(caught.value)

    @pytest.mark.parametrize("comments", [{}, "none", 3])
    def test_comments_must_be_a_list(self, tmp_path: Path, comments: object) -> None:
        with pytest.raises(InputError, match="comments must be a list"):
            read_json(tmp_path, {"issue": issue_record(), "comments": comments})

    def test_a_comment_must_be_an_object(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"comments\[1\] must be an object, but is null"):
            read_json(tmp_path, {"issue": issue_record(), "comments": [comment_record("a", "b"), None]})

    @pytest.mark.parametrize("value", [[], {}, {"issue": None}, {"issue": []}, {"model": {"type": "qwen3"}}, 3, "x"])
    def test_json_that_is_no_issue_is_refused(self, tmp_path: Path, value: object) -> None:
        with pytest.raises(InputError, match=r"no issue|not an issue"):
            read_json(tmp_path, value)

    def test_broken_json_is_refused_with_line_and_column(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="broken JSON at line 2, column 11"):
            read_input(write(tmp_path, "issue.json", '{"issue":\n {"title" 1}}'))

    def test_json_nested_too_deep_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="nested too deep"):
            read_input(write(tmp_path, "issue.json", '{"issue":' * 100_000))

    def test_a_number_of_thousands_of_digits_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="number too long"):
            read_input(write(tmp_path, "issue.json", '{"issue": ' + "1" * 10_000 + "}"))

    def test_half_of_a_surrogate_pair_does_not_survive(self, tmp_path: Path) -> None:
        given = read_input(write(tmp_path, "issue.json", '{"title": "x", "body": "a \\ud83d b"}'))
        assert given.issue.posts[0].text == "a � b"

    def test_a_log_of_json_lines_is_a_log(self, tmp_path: Path) -> None:
        lines = json.dumps({"level": "error", "msg": ERROR}) + '\n{"level": "info"}\n'
        assert read_input(write(tmp_path, "run.jsonl", lines)).issue.posts[0].text == lines
        listed = json.dumps([{"level": "error", "msg": ERROR}])
        assert read_input(write(tmp_path, "list.log", listed)).issue.posts[0].text == listed
        one = json.dumps({"level": "error", "msg": ERROR})
        assert read_input(write(tmp_path, "run.log", one)).issue.posts[0].text == one

    def test_an_issue_is_recognised_under_any_file_name(self, tmp_path: Path) -> None:
        given = read_input(write(tmp_path, "issue.txt", json.dumps({"issue": issue_record(), "comments": []})))
        assert given.issue.ref == "microsoft/foundry-local#1075"
        with pytest.raises(InputError, match="broken JSON"):
            read_input(write(tmp_path, "half.txt", '{"issue": {"title": "x", '))


class TestTranscripts:
    def test_a_thread_saved_as_text_is_split_by_speaker(self, tmp_path: Path) -> None:
        text = f"Model fails to load\n\n[reporter]\n\nIt prints:\n{ERROR}\n\n[maintainer]\n\nTake revision 4."
        issue = read_input(write(tmp_path, "thread.txt", text)).issue
        assert issue.title == "Model fails to load"
        assert [(p.role, p.text) for p in issue.posts] == [
            (Role.REPORTER, f"It prints:\n{ERROR}"),
            (Role.MAINTAINER, "Take revision 4."),
        ]

    def test_the_owner_who_opened_the_thread_is_its_reporter_in_every_post(self, tmp_path: Path) -> None:
        text = "Crash\n\n[owner]\n\nfirst\n\n[maintainer]\n\nsecond\n\n[owner]\n\nthird\n[bot]\nfourth\n[other]\nfifth"
        issue = read_input(write(tmp_path, "thread.txt", text)).issue
        expected = [Role.REPORTER, Role.MAINTAINER, Role.REPORTER, Role.BOT, Role.OTHER]
        assert [p.role for p in issue.posts] == expected

    def test_a_log_with_such_a_line_further_down_is_a_log(self, tmp_path: Path) -> None:
        text = f"starting\nworking\n[other]\n{ERROR}\n"
        assert read_input(write(tmp_path, "run.log", text)).issue.posts[0].text == text
