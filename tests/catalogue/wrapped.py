"""The ways in which people paste a line: what loggers, runtimes of languages, consoles and Markdown put around it."""

from __future__ import annotations

LINE = "{line}"

_LOGS = {
    "ISO time, level, logger": "2026-03-14T09:14:02.113Z ERROR app - {line}",
    "Python logging": "2026-03-14 09:14:02,113 - root - ERROR - {line}",
    "bracketed logger": "[2026-03-14 09:14:02,113] [ERROR] [worker.tasks] {line}",
    "logback": "09:14:02.113 [main] ERROR com.example.demo.App - {line}",
    "Spring": "2026-03-14 09:14:02.113 ERROR 4711 --- [nio-8080-exec-1] c.e.demo.ChatController : {line}",
    "Go log": "2026/03/14 09:14:02 main.go:17: {line}",
    ".NET console log": "fail: Demo.Worker[0]\n      {line}",
    "JSON log": '{"level":"error","msg":"{line}"}',
    "JSON log with fields": '{"ts":"2026-03-14T09:14:02Z","level":"ERROR","logger":"app","message":"{line}","pid":17}',
    "logfmt": 'time="2026-03-14T09:14:02Z" level=error msg="{line}"',
    "kubectl": "[pod/app-7d9f8b6c5-x2x4z/app] {line}",
    "stern": "pod/web-7d9f8b6c5-x2x4z app 2026-03-14T09:14:02.113Z {line}",
    "journal": "Mar 14 09:14:02 host1 app[4711]: {line}",
    "docker compose": "app-1  | {line}",
    "flutter run": "flutter: {line}",
    "flutter on Android": "I/flutter ( 4711): {line}",
    "logcat": "03-14 09:14:02.113  4711  4750 E native  : {line}",
}
_TRACES = {
    "Python": 'Traceback (most recent call last):\n  File "x.py", line 3, in <module>\n    go()\nRuntimeError: {line}',
    "C#": "Unhandled exception. System.InvalidOperationException: {line}\n"
    "   at Demo.Program.Main(String[] args) in C:\\src\\Demo\\Program.cs:line 27",
    "JavaScript": "Uncaught (in promise) Error: {line}\n    at loadModel (app.js:12:9)\n    at main (index.js:40:5)",
    "Node.js": "file:///home/jo/app/index.mjs:12\n        throw new Error(x)\n        ^\n\nError: {line}\n"
    "    at run (file:///home/jo/app/index.mjs:12:15)\n\nNode.js v20.11.0",
    "Java": 'Exception in thread "main" java.lang.RuntimeException: {line}\n'
    "\tat com.example.App.main(App.java:12)\n\t... 2 more",
    "Kotlin": "java.lang.IllegalStateException: {line}\n    at com.example.MainActivity.onCreate(MainActivity.kt:55)",
    "Go": "panic: {line}\n\ngoroutine 1 [running]:\nmain.main()\n\t/home/jo/app/main.go:17 +0x1d\nexit status 2",
    "Rust": "thread 'main' panicked at src/main.rs:12:38:\ncalled `Result::unwrap()` on an `Err` value: {line}\n"
    "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
    "Swift": "Fatal error: Error raised at top level: {line}: file Demo/ViewController.swift, line 31",
    "Dart": "Unhandled Exception: {line}\n#0      main (package:demo/main.dart:12:5)\n<asynchronous suspension>",
    "C++": "terminate called after throwing an instance of 'std::runtime_error'\n  what():  {line}",
}
_WRITTEN = {
    "table": "| Field | Value |\n|---|---|\n| Error | {line} |",
    "inline code": "I get `{line}`",
    "sentence around inline code": "When I run it I see this error: `{line}`. Any idea?",
    "lead-in": "Hi, I have this error after loading: {line}",
    "getting": "getting {line}",
    "heading of a form": "### Describe the issue\n\n{line}",
    "form with an empty answer": "### Describe the bug\n\n{line}\n\n### Steps to reproduce\n\n_No response_",
    "bold": "**{line}**",
    "quote": "> {line}",
    "fence below a sentence": "I get this:\n\n```\n{line}\n```",
    "fence below a word": "Error:\n```text\n{line}\n```",
    "fence and thanks": "After loading the model:\n\n```\n{line}\n```\n\nThanks!",
    "pre": "<pre>{line}</pre>",
    "details": "<details><summary>Log</summary>\n\n```\n{line}\n```\n\n</details>",
    "command": "$ python main.py\n{line}",
}
FORMS = {**_LOGS, **_TRACES, **_WRITTEN}


def wrapped(form: str, line: str) -> str:
    """A line in one of FORMS; in JSON it is escaped."""
    if form.startswith("JSON"):
        line = line.replace("\\", "\\\\").replace('"', '\\"')
    return FORMS[form].replace(LINE, line)
