"""What manifests state, format by format."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.manifests import exact, read_manifest

_PROPS = """<Project>
  <ItemGroup>
    <PackageVersion Include="Microsoft.ML.OnnxRuntime" Version="1.26.0" />
    <PackageVersion Include="Microsoft.ML.OnnxRuntimeGenAI"><Version>0.14.1</Version></PackageVersion>
    <PackageVersion Include="Twice" Version="1.0.0" Condition="'$(A)' == 'a'" />
    <PackageVersion Include="Twice" Version="2.0.0" />
  </ItemGroup>
  <PropertyGroup><EngineVersion>1.2.3</EngineVersion></PropertyGroup>
</Project>"""

_PUBSPEC = """name: app
dependencies:
  flutter:
    sdk: flutter
  engine: 1.2.3  # pinned
  loose: ^1.0.0
dev_dependencies:
  engine: 9.9.9
"""

_CMAKE = """# set(ENGINE_VERSION "0.0.1")
project(tool VERSION 2.3.4 LANGUAGES CXX)
set(ENGINE_VERSION "1.2.3")
FetchContent_Declare(
  engine
  GIT_REPOSITORY https://example.org/engine.git
  GIT_TAG v0.14.1
)
FetchContent_Declare(runtime URL https://example.org/runtime/archive/v1.26.0.zip)
FetchContent_Declare(pinned GIT_TAG 5fa5ec59236c47890148b5dbaa7284d8c1f7fca6)
"""

_DEPS = '{"onnxruntime": {"version": "1.26.0"}, "list": ["0.1.0"], "a/b": {"c~d": "1.0.0"}, "n": 3}'


@pytest.mark.parametrize(
    ("file", "text", "pointer", "expected"),
    [
        ("sdk/deps_versions.json", _DEPS, "/onnxruntime/version", "1.26.0"),
        ("deps.json", _DEPS, "/list/0", "0.1.0"),
        ("deps.json", _DEPS, "/a~1b/c~0d", "1.0.0"),
        ("deps.json", _DEPS, "/missing/version", None),
        ("deps.json", _DEPS, "/n", None),
        ("deps.json", "\ufeff" + _DEPS, "/onnxruntime/version", "1.26.0"),
        ("deps.json", "{", "/a", None),
        ("deps.json", "[" * 100_000, "/a", None),
        ("package.json", '{"dependencies": {"engine": "1.2.3", "loose": "^1.2.3"}}', "/dependencies/engine", "1.2.3"),
        ("package.json", '{"dependencies": {"engine": "1.2.3", "loose": "^1.2.3"}}', "/dependencies/loose", None),
        ("pyproject.toml", '[tool.deps]\nengine = "==1.2.3"\n', "/tool/deps/engine", "1.2.3"),
        ("Cargo.toml", '[dependencies]\nengine = "1.2.3\n', "/dependencies/engine", None),
        ("Directory.Packages.props", _PROPS, "/PackageVersion/microsoft.ml.onnxruntime", "1.26.0"),
        ("Directory.Packages.props", _PROPS, "/PackageVersion/Microsoft.ML.OnnxRuntimeGenAI", "0.14.1"),
        ("Directory.Packages.props", _PROPS, "/PackageVersion/Twice", None),
        ("Directory.Packages.props", _PROPS, "/EngineVersion", "1.2.3"),
        ("Directory.Packages.props", '<!DOCTYPE x [<!ENTITY a "1.0.0">]><x><V>&a;</V></x>', "/V", None),
        ("pubspec.yaml", _PUBSPEC, "/dependencies/engine", "1.2.3"),
        ("pubspec.yaml", _PUBSPEC, "/dependencies/loose", None),
        ("pubspec.yaml", _PUBSPEC, "/dependencies/flutter/sdk", None),
        ("CMakeLists.txt", _CMAKE, "/set/ENGINE_VERSION", "1.2.3"),
        ("CMakeLists.txt", _CMAKE, "/project", "2.3.4"),
        ("cmake/deps.cmake", _CMAKE, "/FetchContent/engine", "0.14.1"),
        ("cmake/deps.cmake", _CMAKE, "/FetchContent/runtime", "1.26.0"),
        ("cmake/deps.cmake", _CMAKE, "/FetchContent/pinned", None),
        ("VERSION_INFO", "0.13.0-dev\n", "/", "0.13.0-dev"),
        ("VERSION_INFO", "\n\n0.2.0rc4\nmore\n", "/", "0.2.0rc4"),
        ("gradle.properties", "a=1\nengine = 1.2.3\n", "/engine", "1.2.3"),
        ("build.py", 'ENGINE = "1.2.3"\n', r'/regex/ENGINE = "(?P<version>[^"]+)"', "1.2.3"),
        ("build.py", 'ENGINE = "1.2.3"\nENGINE = "1.2.4"\n', r'/regex/ENGINE = "(?P<version>[^"]+)"', None),
        ("build.py", "x", "/regex/(", None),
        ("build.py", "1.2.3", r"/regex/(\d+)", None),
        ("VERSION_INFO", "1.0.0" + " " * 2_000_000, "/", None),
    ],
)
def test_a_manifest_states_one_exact_version_or_none(file: str, text: str, pointer: str, expected: str | None) -> None:
    assert read_manifest(file, text, pointer) == expected


@pytest.mark.parametrize("text", ["^1.2.3", "~1.2.3", ">=1.2.3", "1.2.x", "[1.0,2.0)", "*", "latest", "", "1.2.3 || 2"])
def test_a_range_pins_nothing(text: str) -> None:
    assert exact(text) is None


@given(st.sampled_from(["a.json", "a.toml", "a.props", "pubspec.yaml", "a.cmake", "VERSION"]), st.text(max_size=300))
def test_any_text_can_be_read(file: str, text: str) -> None:
    read_manifest(file, text, "/a/b")
