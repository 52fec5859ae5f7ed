"""Facts of the reporter's environment."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signatures.extract import given_fact, read_issue
from signatures.extract.vocabulary import load_vocabulary
from signatures.model import IssueText, Post, ProductNames, Report, Role, Source

VOCABULARY = load_vocabulary()
PRODUCTS = (
    ProductNames(
        "foundry-local-cli",
        ("Foundry Local CLI", "Foundry CLI", "cli-preview", "CLI", "foundry --version", "Microsoft.FoundryLocal"),
        ("Foundry version", "CLI version", "Foundry Local version", "Foundry Local", "Foundry"),
        r"v?0\.\d+\.\d+(?:[+-][0-9A-Za-z.+-]+)?",
    ),
    ProductNames(
        "foundry-local-sdk",
        ("foundry-local-sdk", "Microsoft.AI.Foundry.Local", "Foundry Local SDK", "SDK"),
        ("SDK version", "Foundry Local version", "Foundry Local", "Foundry"),
        r"v?[1-9]\d*\.\d+\.\d+(?:[+-][0-9A-Za-z.+-]+)?",
    ),
    ProductNames(
        "onnxruntime",
        ("onnxruntime", "ONNX Runtime", "ORT", "onnxruntime-gpu", "Microsoft.ML.OnnxRuntime"),
        ("ONNX Runtime Version or Commit ID", "ORT"),
    ),
    ProductNames(
        "onnxruntime-genai",
        ("onnxruntime-genai", "ORT GenAI", "GenAI", "Microsoft.ML.OnnxRuntimeGenAI"),
        ("ONNX Runtime GenAI version", "ORT GenAI"),
    ),
    ProductNames("litert-lm", ("LiteRT-LM", "litertlm-android"), (), r"v?\d+\.\d+\.\d+"),
    ProductNames("llamadart", ("llamadart",), ("llamadart version",)),
    ProductNames("litert-lm-native", ("LiteRT", "native runtime"), (), r"v?\d+\.\d+\.\d+-(?:native\.)?\d+"),
)


def read(*posts: str | Post, title: str = "") -> Report:
    made = tuple(Post(Role.REPORTER, p) if isinstance(p, str) else p for p in posts)
    return read_issue(IssueText(title, made, "microsoft/foundry-local#1"), VOCABULARY, PRODUCTS)


def values(report: Report, key: str, source: Source | None = None) -> list[str]:
    found = [f.value for f in report.facts if f.key == key and source in (None, f.source)]
    return list(dict.fromkeys(found))


class TestForms:
    def test_bullets_with_labels(self) -> None:
        report = read(
            "Environment\n\n• OS: Windows (the prompt shows PS C:\\Users\\user)\n"
            "• GPU: Intel Arc Graphics (device ID 7D55, vendor 8086)\n"
            "• Driver version: 32.0.101.8332 (newest as of now)\n"
            "• Foundry version: 0.10.0+174be11ea7aeacd8d0d67b0ba1daebec615284b1\n"
            "• ONNX Runtime GenAI version: included with Foundry\n"
        )

        assert values(report, "os", Source.FORM) == ["windows"]
        assert values(report, "gpu", Source.FORM) == ["Intel Arc Graphics (device ID 7D55, vendor 8086)"]
        assert values(report, "gpu_vendor") == ["intel"]
        assert values(report, "driver") == ["32.0.101.8332"]
        assert values(report, "foundry-local-cli") == ["0.10.0+174be11ea7aeacd8d0d67b0ba1daebec615284b1"]
        assert values(report, "onnxruntime-genai") == []

    @pytest.mark.parametrize("mark", ["### {}", "**{}**", "{}"])
    def test_headings_of_a_form_with_and_without_their_marks(self, mark: str) -> None:
        rows = [
            ("Platform and architecture", "Windows X64"),
            ("OS Version", "Windows 11 Enterprise 26200"),
            ("Foundry Local version", "foundry-local-sdk 2.0.1 (Python, in-process); CLI 0.8.119"),
            ("API or surface area", "Python SDK"),
            ("Acceleration backend", "WebGPU/CUDA"),
        ]
        report = read("It fails.\n\n" + "\n\n".join(f"{mark.format(label)}\n\n{value}" for label, value in rows))

        assert values(report, "os", Source.FORM) == ["windows"]
        assert values(report, "arch") == ["x64"]
        assert values(report, "os_version") == ["11 Enterprise 26200"]
        assert values(report, "foundry-local-sdk", Source.FORM) == ["2.0.1"]
        assert values(report, "foundry-local-cli", Source.FORM) == ["0.8.119"]
        assert values(report, "api") == ["python"]
        assert values(report, "ep") == ["WebGpuExecutionProvider", "CUDAExecutionProvider"]
        assert values(report, "backend") == ["webgpu", "cuda"]

    def test_the_form_of_onnx_runtime(self) -> None:
        report = read(
            "### Platform\n\nLinux\n\n### OS Version\n\nUbuntu 22.04.3 LTS\n\n"
            "### ONNX Runtime Version or Commit ID\n\n1.20.1\n\n### ONNX Runtime API\n\nC++\n\n"
            "### Architecture\n\nX64\n\n### Execution Provider\n\n'webgpu' (WebGPU)\n"
        )

        assert values(report, "os", Source.FORM) == ["linux"]
        assert values(report, "os_version") == ["22.04.3 LTS"]
        assert values(report, "onnxruntime") == ["1.20.1"]
        assert values(report, "api") == ["cpp"]
        assert values(report, "ep") == ["WebGpuExecutionProvider"]

    def test_the_form_of_mediapipe(self) -> None:
        report = read(
            '### OS Platform and Distribution\n\nARM64 Android14("UpsideDownCake)\n\n'
            "### Mobile device if the issue happens on mobile device\n\nGalaxy S23\n\n"
            "### Browser and version if the issue happens on browser\n\n_No response_\n"
        )

        assert (values(report, "os"), values(report, "os_version"), values(report, "arch")) == (
            ["android"],
            ["14"],
            ["arm64"],
        )
        assert values(report, "device") == ["Galaxy S23"]
        assert values(report, "browser") == []

    def test_template_text_and_empty_answers_state_nothing(self) -> None:
        report = read(
            "**Desktop (please complete the following information):**\n - OS: [e.g. iOS]\n"
            " - Browser [e.g. chrome, safari]\n\n"
            "**Smartphone (please complete the following information):**\n - Device: [e.g. iPhone6]\n"
            " - OS: [e.g. iOS8.1]\n\n"
            "### Operating systems\n\nOther? (Please let us know in description)\n\n### Execution Provider\n"
            "\n_No response_\n\n"
            "<!-- on Windows 11, with onnxruntime 1.2.3 -->\n- [ ] Android 12\n"
        )

        assert report.facts == ()

    def test_an_answer_behind_template_text_counts(self) -> None:
        report = read("- OS: [e.g. Windows, Linux] macOS 15.1\n- GPU: [e.g. RTX 3090] RTX 5090\n")

        assert (values(report, "os"), values(report, "os_version"), values(report, "gpu")) == (
            ["macos"],
            ["15.1"],
            ["RTX 5090"],
        )

    def test_a_heading_answered_in_code(self) -> None:
        report = read(
            "### System Info\n\n```shell\n- Platform: Linux-6.8.0\n- GPU type: NVIDIA L4\n```\n\n"
            "### OS Version\n\n```\n24.04\n```\n"
        )

        assert values(report, "os") == ["linux"]
        assert values(report, "gpu_vendor") == ["nvidia"]
        assert values(report, "os_version", Source.FORM) == ["24.04"]

    def test_tables_and_several_pairs_on_one_line(self) -> None:
        table = read("| Item | Value |\n|---|---|\n| OS | Windows Server 2022 |\n| Driver version | 582.53 |\n")
        line = read("OS: Windows 11, GPU: Intel Arc 140V, Browser: Edge 136")

        assert (values(table, "os_version"), values(table, "driver")) == (["Server 2022"], ["582.53"])
        assert (values(line, "gpu"), values(line, "browser")) == (["Intel Arc 140V"], ["Edge 136"])

    def test_contradictions_are_kept(self) -> None:
        report = read("### Platform and architecture\n\nWindows X64\n\n### OS Version\n\nmacOS 15.7.9\n")

        assert values(report, "os", Source.FORM) == ["windows", "macos"]

    @pytest.mark.parametrize(
        "answer", ["latest", "0.0.0", "v0.0.0", "_No response_", "included with Foundry", "CUDA 12", "main (abc1234)"]
    )
    def test_a_version_that_is_none_states_nothing(self, answer: str) -> None:
        report = read(f"### ONNX Runtime Version or Commit ID\n\n{answer}\n")

        assert values(report, "onnxruntime") == []

    def test_a_bare_version_goes_to_the_product_whose_shape_it_has(self) -> None:
        assert values(read("### Foundry Local version\n\n0.10.3\n"), "foundry-local-cli") == ["0.10.3"]
        assert values(read("### Foundry Local version\n\n2.0.1\n"), "foundry-local-sdk") == ["2.0.1"]


class TestPrinted:
    def test_a_products_own_report(self) -> None:
        report = read(
            "## System\n- **OS:** Microsoft Windows 10.0.26200\n- **GPU:** NVIDIA NVIDIA GeForce RTX 3060 (4.0 GB)\n\n"
            "## Service\n- **CLI version:** 0.10.2\n- **ORT:** 1.26.0\n- **ORT GenAI:** 0.0.0\n"
        )

        assert values(report, "foundry-local-cli", Source.DIAGNOSTICS) == ["0.10.2"]
        assert values(report, "onnxruntime", Source.DIAGNOSTICS) == ["1.26.0"]
        assert values(report, "onnxruntime-genai") == []
        assert values(report, "os_version", Source.DIAGNOSTICS) == ["10.0.26200"]

    def test_versions_that_a_runtime_printed(self) -> None:
        report = read(
            "```\nRuntime versions: onnxruntime=1.26.0, onnxruntime-genai=0.14.1\n"
            "only API versions [1, 16] are supported in this build. Current ORT Version is: 1.16.3\n```"
        )

        assert values(report, "onnxruntime", Source.LOG) == ["1.26.0", "1.16.3"]
        assert values(report, "onnxruntime-genai", Source.LOG) == ["0.14.1"]

    def test_what_a_program_says_about_itself_when_asked(self) -> None:
        report = read("```\nPS C:\\> foundry --version\n0.8.94+97f62578ec\n```")

        assert values(report, "foundry-local-cli", Source.DIAGNOSTICS) == ["0.8.94+97f62578ec"]

    def test_pins_and_package_lists(self) -> None:
        report = read(
            "# pip install foundry-local-sdk==2.0.1\n\n```\nPackage          Version\nonnxruntime-gpu    1.21.1\n"
            "onnxruntime-genai  0.8.0\n```\n\n"
            '```xml\n<PackageReference Include="Microsoft.ML.OnnxRuntime" Version="1.19.2" />\n```\n'
        )

        assert values(report, "foundry-local-sdk", Source.MANIFEST) == ["2.0.1"]
        assert values(report, "onnxruntime", Source.MANIFEST) == ["1.21.1", "1.19.2"]
        assert values(report, "onnxruntime-genai", Source.MANIFEST) == ["0.8.0"]

    def test_a_range_is_no_version(self) -> None:
        assert values(read('```json\n"onnxruntime": "^1.20.0"\n```\n`onnxruntime>=1.18.0`'), "onnxruntime") == []

    def test_the_adapter_line_of_a_software_driver(self) -> None:
        report = read(
            "```\nenvironment.cc:526] Selected adapter: llvmpipe (LLVM 20.1.2, 256 bits), arch=software, vendor=mesa, "
            "backend=Vulkan, adapterType=CPU / Software\n```\n\n- GPU: NVIDIA L4\n"
        )

        assert values(report, "adapter_type") == ["software"]
        assert values(report, "adapter") == ["llvmpipe (LLVM 20.1.2, 256 bits)"]
        assert values(report, "backend") == ["vulkan"]
        assert values(report, "gpu") == ["NVIDIA L4"]

    @pytest.mark.parametrize(
        ("line", "kind"),
        [
            ("deviceName         = llvmpipe (LLVM 15.0.7, 256 bits)", "software"),
            ("deviceType         = PHYSICAL_DEVICE_TYPE_DISCRETE_GPU", "hardware"),
            ("Selected adapter: NVIDIA L4, vendor=nvidia, backend=Direct3D 12, adapterType=Discrete GPU", "hardware"),
            ("GL_RENDERER: Google SwiftShader", "software"),
            ("  pc 0x0000772b5e5ae6b8 /lib/x86_64-linux-gnu/libvulkan_lvp.so+0x3ae6b8", "software"),
        ],
    )
    def test_adapter_lines(self, line: str, kind: str) -> None:
        assert values(read(f"```\n{line}\n```"), "adapter_type") == [kind]

    @pytest.mark.parametrize(
        "sentence",
        [
            "vulkaninfo identified the discrete NVIDIA L4 without llvmpipe.",
            "Earlier llvmpipe crashes were excluded from the conclusions.",
            "Is this about SwiftShader or lavapipe?",
        ],
    )
    def test_a_sentence_proves_no_software_adapter(self, sentence: str) -> None:
        report = read(sentence)

        assert values(report, "adapter_type") == values(report, "adapter") == []

    @pytest.mark.parametrize(
        ("text", "key", "value"),
        [
            ("Error: DynamicLib.Open: dxil.dll Windows Error: 87", "os", "windows"),
            ("OnnxRuntimeGenAIException: WebGPU validation failed. [Buffer]", "ep", "WebGpuExecutionProvider"),
            ("OnnxRuntimeGenAIException: WebGPU validation\nfailed. [Buffer]", "ep", "WebGpuExecutionProvider"),
            ("SIGSEGV in libLiteRtWebGpuAccelerator.so", "os", "linux"),
            ("Faulting module: libLiteRtWebGpuAccelerator.dll", "runtime", "litert"),
            (
                "Error: x when using ['TensorrtExecutionProvider', 'CPUExecutionProvider']",
                "ep",
                "TensorrtExecutionProvider",
            ),
            ("EP Error: provider_bridge_ort.cc:1 onnxruntime::ProviderLibrary::Get", "runtime", "onnxruntime"),
            ("   at Microsoft.ML.OnnxRuntimeGenAI.Generator.AppendTokenSequences(Sequences)", "phase", "run"),
            ("Error: Failed to create engine: INTERNAL: x", "phase", "load"),
            ("ggml_vulkan: 0 = Adreno (TM) 690 (Qualcomm) | uma: 1", "gpu_vendor", "qualcomm"),
            ("ggml_vulkan: 0 = Intel(R) Arc(TM) B580 Graphics (Intel) | uma: 0", "gpu_line", "intel-arc"),
            ("ggml_vulkan: 0 = Intel(R) Iris(R) Xe Graphics (Intel) | uma: 1", "gpu_line", "intel-integrated"),
            ('dlopen failed: library "libOpenCL.so" not found', "os", "android"),
            ("OnnxRuntimeException: [ErrorCode:Fail] x", "runtime", "onnxruntime"),
            ("#00 pc 0000000000766968  libonnxruntime.so", "runtime", "onnxruntime"),
            ("#03 pc 00000000004a1f30  libggml-cpu.so", "runtime", "llama.cpp"),
            ("XGL SUMD Driver version: 24.0.545", "driver", "24.0.545"),
        ],
    )
    def test_printed_text_proves(self, text: str, key: str, value: str) -> None:
        assert value in values(read(f"```\n{text}\n```"), key)

    def test_a_name_that_ends_in_a_provider_proves_no_provider(self) -> None:
        report = read("```\nError: Duplicate definition of name (image_grid_thw_CUDAExecutionProvider).\n```")

        assert values(report, "ep") == []

    @pytest.mark.parametrize(
        "text",
        [
            'Can not open OpenCL library on this device - dlopen failed: library "libOpenCL.so" not found',
            "signal 4 (SIGILL), code 1 (ILL_ILLOPC)\n  #00 pc 0000000000766968  libonnxruntime.so",
        ],
    )
    def test_what_only_a_phone_prints_proves_no_desktop(self, text: str) -> None:
        assert "linux" not in values(read(f"```\n{text}\n```"), "os")

    def test_a_shared_library_on_a_phone_proves_no_desktop(self) -> None:
        report = read("It crashes on a Galaxy S10.\n\n```\n#01 pc 0000000000171d04 libLiteRtOpenClAccelerator.so\n```")

        assert values(report, "os") == ["android"]
        assert values(report, "backend") == ["opencl"]


class TestImplied:
    def test_an_engine_of_its_own_is_the_runtime_where_nothing_says_otherwise(self) -> None:
        log = "\n\n```\nFatal signal 11 (SIGSEGV), code 1\n```"

        assert values(read(f"llamadart: 0.7.2{log}"), "runtime", Source.FORM) == ["llamadart"]
        assert values(read(f"llamadart: 0.7.2\n\nWe run MNN beside it.{log}"), "runtime") == ["mnn"]
        assert values(read(f"onnxruntime: 1.24.1{log}"), "runtime") == []
        assert values(read(f"- onnxruntime-genai: 0.14.1{log}"), "runtime") == ["onnxruntime-genai"]
        assert values(read(f"- onnxruntime-genai: 0.14.1\n- litert-lm: 0.9.0{log}"), "runtime") == []

    def test_the_package_for_webgpu_is_onnx_runtime(self) -> None:
        assert values(read("I run onnxruntime-webgpu 1.24.0 in Python."), "runtime") == ["onnxruntime"]


class TestSpeech:
    @pytest.mark.parametrize(
        ("text", "key", "expected"),
        [
            ("It happens on Windows 11 24H2.", "os_version", ["11 24H2"]),
            ("It happens on Ubuntu 24.04 x64.", "os", ["linux"]),
            ("It fails on my RTX 3060 with driver 591.86.", "driver", ["591.86"]),
            ("It fails on my RTX 3060 with driver 591.86.", "gpu", ["RTX 3060"]),
            ("I use Chrome 147 here.", "browser", ["Chrome 147"]),
            ("The Pixel 10 Pro crashes.", "device", ["Pixel 10 Pro"]),
            ("It fails on my Intel Arc A770 only.", "gpu_line", ["intel-arc"]),
            ("On an Arc A380 the tokens repeat.", "gpu_vendor", ["intel"]),
            ("My UHD 770 shows black frames.", "gpu_vendor", ["intel"]),
            ("Garbage with Vulkan on Radeon 890M here.", "gpu_vendor", ["amd"]),
            ("It hangs on my RX 6600.", "gpu_vendor", ["amd"]),
            ("It hangs on an M3 Max here.", "gpu_vendor", ["apple"]),
            ("It hangs on the Adreno GPU here.", "gpu_vendor", ["qualcomm"]),
            ("Qualcomm Adreno: no pipeline is built.", "gpu_vendor", ["qualcomm"]),
            ("Devices: Snapdragon 8 Gen 4.", "gpu_vendor", ["qualcomm"]),
            ("It stops on a Snapdragon X Elite.", "gpu_vendor", ["qualcomm"]),
            ("It works on a Snapdragon 8 Gen 2 and hangs on my RX 6600.", "gpu_vendor", ["amd"]),
            ("- GPU: RX 7600", "gpu_vendor", ["amd"]),
            ("- GPU: Arc B570", "gpu_vendor", ["intel"]),
            ("It stops on a Galaxy S22.", "os", ["android"]),
            ("- Device: Pixel 7a", "os", ["android"]),
            ("It stops on an iPhone 15.", "os", ["ios"]),
            ("- Device: Galaxy Book\n- OS: Windows 11", "os", ["windows"]),
            ("TensorFlow Lite Android 2.16 stops.", "os_version", []),
            ("LiteRT Android 16.1 stops.", "os_version", []),
            ("Galaxy S22 Android 14 stops.", "os_version", ["14"]),
            ("flux 2.1 on Android 13\nFatal signal 11 (SIGSEGV), code 1", "os_version", ["13"]),
            ("We run MNN on this board.", "runtime", ["mnn"]),
            ("It fails using the WebGPU EP.", "ep", ["WebGpuExecutionProvider"]),
            ("I run onnxruntime-genai 0.6.0. It worked with 0.5.2.", "onnxruntime-genai", ["0.6.0"]),
            ("Published v0.17.0-3 of the native runtime crashes.", "litert-lm-native", ["0.17.0-3"]),
            ("LiteRT 0.17.0-5, four threads, crashes.", "litert-lm-native", ["0.17.0-5"]),
            ("Since updating the CLI from 0.9.0 to 0.10.0 it fails.", "foundry-local-cli", ["0.10.0"]),
            ("I upgraded the CLI to 0.10.1 and still see it.", "foundry-local-cli", ["0.10.1"]),
            ("onnxruntime-gpu 1.24.1 RTX 5080: error: no kernel image is available", "onnxruntime", ["1.24.1"]),
            ("foundry-local CLI 0.10.3 on a server: it stops.", "foundry-local-cli", ["0.10.3"]),
            ("ONNX Runtime Version or Commit ID: 1.25.0 (1.23.2 works)", "onnxruntime", ["1.25.0"]),
            ("ORT: 1.24.1 (but 1.22.0 is fine)", "onnxruntime", ["1.24.1"]),
        ],
    )
    def test_sentences_that_place_the_failure(self, text: str, key: str, expected: list[str]) -> None:
        assert values(read(text), key) == expected

    @pytest.mark.parametrize(
        ("text", "key"),
        [
            ("It does not happen on macOS 15.", "os"),
            ("It works on Windows 11, too.", "os"),
            ("LiteRT-LM 0.13.1 works on that machine.", "litert-lm"),
            ("It works with LiteRT-LM 0.13.1.", "litert-lm"),
            ("The fix is in SDK 1.2.1: fixed in SDK 1.2.1.", "foundry-local-sdk"),
            ("Please upgrade to CLI 0.10.1.", "foundry-local-cli"),
            ("This is distinct from the earlier LiteRT 0.17.0-3 crash.", "litert-lm-native"),
            ("The Android SDK 34.0.0 is there.", "foundry-local-sdk"),
            ("See microsoft/onnxruntime#29392 and release notes 1.2.3.", "onnxruntime"),
            ("Nothing to see with onnxruntime 0.0.0.", "onnxruntime"),
            ("Unlike an RTX 3060, mine is fine.", "gpu"),
            ("ORT: main (own build)\n\npip freeze of another env: onnxruntime 1.25.0", "onnxruntime"),
            ("The other venv has onnxruntime 1.25.0.", "onnxruntime"),
            ("azure-local CLI 0.10.3 stops.", "foundry-local-cli"),
        ],
    )
    def test_sentences_that_name_something_else(self, text: str, key: str) -> None:
        assert values(read(text), key) == []

    def test_facts_tell_which_line_and_block_they_belong_to(self) -> None:
        report = read(
            "Results\n\n• Ubuntu 24.04 x64: libLiteRtWebGpuAccelerator.so segfaults with LiteRT 0.17.0-3.\n"
            "• Windows Server 2022 x64: access violation in libLiteRtWebGpuAccelerator.dll.\n",
            "The current artifact, LiteRT 0.17.0-5, reports DynamicLib.Open: dxil.dll Windows Error: 87 instead.",
        )
        lines = {(f.value, f.quote[:9]) for f in report.facts if f.key == "os"}
        versions = {f.value: f.block for f in report.facts if f.key == "litert-lm-native"}

        assert {("linux", "• Ubuntu "), ("windows", "• Windows")} <= lines
        assert versions == {"0.17.0-3": 0, "0.17.0-5": 1}


class TestRuntimes:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("I don't use LiteRT-LM, this is onnxruntime-node.", ["onnxruntime"]),
            ("Unlike onnxruntime, LiteRT-LM fails.", ["litert-lm"]),
            ("I switched from LiteRT-LM to onnxruntime and get this.", ["onnxruntime"]),
            ("LiteRT-LM does not load the model.", ["litert-lm"]),
            ("package: litert-lm-api 0.12.0", ["litert-lm"]),
            ("litert-lm-native 0.17.0-5", ["litert-lm"]),
            ("```\nE0000 delegate_webgpu.cc:117] Failed\n```", ["litert"]),
            ("We migrated from LiteRT-LM to our own renderer.", []),
            ("My app uses plain Dawn. LiteRT-LM has the same bug.", []),
            ("Same as LiteRT-LM#1109 but in my own engine.", []),
            ("I compared it to onnxruntime.", []),
            ("I plan to use onnxruntime later.", []),
            ("LiteRT-LM works, my engine does not.", []),
        ],
    )
    def test_the_engine_is_the_one_that_is_used(self, text: str, expected: list[str]) -> None:
        assert values(read(text), "runtime") == expected


class TestWhose:
    def test_other_people_state_nothing(self) -> None:
        report = read(
            "It fails.",
            Post(Role.MAINTAINER, "The CLI 0.10.0 is affected on Windows 11:\n\n```\nWebGPU validation failed\n```"),
            Post(Role.OTHER, "Same here, onnxruntime 1.20.1, OS: macOS 15"),
            Post(Role.BOT, "- OS: Linux"),
        )

        assert report.facts == ()

    def test_a_quote_of_an_earlier_post_states_nothing(self) -> None:
        log = "Error: DynamicLib.Open: dxil.dll Windows Error: 87"
        report = read("It hangs.", Post(Role.OTHER, f"I see this:\n\n```\n{log}\n```"), f"> {log}\n\nNot me.")

        assert values(report, "os") == []

    def test_a_log_that_the_reporter_pasted_as_a_quote_counts(self) -> None:
        assert values(read("I get:\n\n> Error: DynamicLib.Open: dxil.dll Windows Error: 87\n"), "os") == ["windows"]

    def test_what_is_ruled_out_states_nothing(self) -> None:
        report = read("Ruled out:\n\n- Not the EP: it fails using the WebGPU EP and with onnxruntime 1.20.0\n")

        assert values(report, "ep") == values(report, "onnxruntime") == []


class TestGiven:
    @pytest.mark.parametrize(
        ("key", "value", "meant"),
        [
            ("os", "Windows 11", "windows"),
            ("ep", "webgpu", "WebGpuExecutionProvider"),
            ("foundry-local-cli", "v0.10.0", "0.10.0"),
            ("onnxruntime-genai", "0.14.0-rc1", "0.14.0-rc1"),
            ("model:qwen3.5-0.8b-cuda-gpu", "3", "3"),
            ("driver", "32.0.101.8332", "32.0.101.8332"),
        ],
    )
    def test_what_the_caller_states(self, key: str, value: str, meant: str) -> None:
        fact = given_fact(key, value, VOCABULARY, PRODUCTS)

        assert (fact.key, fact.value, fact.source, fact.span, fact.block) == (key, meant, Source.GIVEN, None, None)

    def test_a_model_may_be_given_with_its_revision(self) -> None:
        fact = given_fact("model", "qwen3.5-0.8b-cuda-gpu:3", VOCABULARY, PRODUCTS)

        assert (fact.key, fact.value) == ("model:qwen3.5-0.8b-cuda-gpu", "3")

    @pytest.mark.parametrize(
        ("key", "value", "product"),
        [
            ("CLI", "0.10.0", "foundry-local-cli"),
            ("foundry cli", "0.10.0", "foundry-local-cli"),
            ("sdk", "1.2.0", "foundry-local-sdk"),
            ("Foundry Local", "0.10.0", "foundry-local-cli"),
            ("Foundry Local version", "1.2.0", "foundry-local-sdk"),
            ("genai", "0.14.1", "onnxruntime-genai"),
        ],
    )
    def test_a_product_may_be_given_by_a_name_of_it(self, key: str, value: str, product: str) -> None:
        assert given_fact(key, value, VOCABULARY, PRODUCTS).key == product

    @pytest.mark.parametrize(
        ("key", "value", "complaint"),
        [
            ("onnxruntime-genai", "0.14.x", "'0.14.x' is no version of onnxruntime-genai"),
            ("onnxruntime-genai", "0.14.*", "is no version"),
            ("onnxruntime-genai", ">=0.14.0", "is no version"),
            ("Foundry", "7", "names foundry-local-cli and foundry-local-sdk"),
            ("sdkk", "1.2.0", "nearest are foundry-local-sdk"),
            ("foundry-cli", "0.10.0", "foundry-local-cli"),
            ("epp", "webgpu", "ep"),
            ("???", "1", "os, os_version"),
            ("os", "Plan 9", "known are windows, linux"),
            ("foundry-local-cli", "latest", "'latest' is no version of foundry-local-cli"),
            ("foundry-local-cli", "0.0.0", "is no version"),
            ("model:", "3", "unknown key"),
        ],
    )
    def test_what_cannot_be_meant_is_explained(self, key: str, value: str, complaint: str) -> None:
        with pytest.raises(ValueError, match=re.escape(complaint)):
            given_fact(key, value, VOCABULARY, PRODUCTS)


class TestPlaces:
    def test_output_in_long_blocks_is_read_by_its_known_labels(self) -> None:
        text = "noise: 1\n" * 3000 + "Operating System: Windows 11 Pro 64-bit (10.0, Build 22621)\n"

        report = read(f"```\n{text}```")

        assert values(report, "os_version", Source.DIAGNOSTICS) == ["11 Pro"]

    @pytest.mark.parametrize(
        ("text", "key", "value"),
        [
            ("litert_lm_main.exe --backend=gpu --model_path=x", "backend", "gpu"),
            ("const s = await create(m, { device: 'webgpu' });", "ep", "WebGpuExecutionProvider"),
        ],
    )
    def test_options_state_the_backend(self, text: str, key: str, value: str) -> None:
        assert values(read(f"```\n{text}\n```"), key) == [value]


class TestPrivacy:
    def test_a_quote_is_short_and_redacted(self) -> None:
        report = read("```\nError: x C:\\Users\\jane\\model.onnx " + "y" * 300 + "\n```")

        assert all(len(f.quote) <= 160 and "jane" not in f.quote for f in report.facts)
        assert values(report, "os") == ["windows"]


def test_where_an_issue_is_filed_names_the_runtime_unless_its_text_does() -> None:
    def runtimes(text: str, ref: str) -> list[str]:
        return values(read_issue(IssueText("", (Post(Role.REPORTER, text),), ref), VOCABULARY, PRODUCTS), "runtime")

    assert runtimes("It stops at the first token.", "Microsoft/onnxruntime#7") == ["onnxruntime"]
    assert runtimes("It stops at the first token.", "someone/app#7") == []
    assert "onnxruntime" not in runtimes("Runtime: LiteRT-LM\nIt stops.", "microsoft/onnxruntime#7")


def test_every_fact_is_where_it_says() -> None:
    report = read("- OS: Windows 11\n- CLI 0.10.0\n\n```\nError: dxil.dll\n```", title="Fails on Ubuntu 24.04")

    for fact in report.facts:
        assert fact.span is not None
        assert fact.block is not None
        block = report.blocks[fact.block]
        assert block.span.start <= fact.span.start < fact.span.end <= block.span.end
        assert block.span.post == fact.span.post


LINES = st.sampled_from(
    (
        "### OS Version",
        "- OS: Windows 11",
        "```",
        "CLI 0.10.0",
        "works on ",
        "not ",
        "[E:onnxruntime:, a.cc:1 f] x",
        "> Error: a",
        "Selected adapter: llvmpipe, backend=Vulkan",
        "| OS | macOS |",
        "Ruled out:",
        "- Not a",
        *"İ\x00\r(`=:",
    )
)


@given(st.lists(LINES, max_size=25), st.sampled_from(["\n", "\n\n", " "]), st.booleans())
def test_any_text_is_read_and_every_fact_stays_in_its_block(lines: list[str], between: str, markdown: bool) -> None:
    report = read(Post(Role.REPORTER, between.join(lines), markdown=markdown), title=" ".join(lines[:2]))

    for fact in report.facts:
        assert fact.value
        assert fact.span is not None
        assert fact.block is not None
        block = report.blocks[fact.block].span
        assert block.start <= fact.span.start < fact.span.end <= block.end


def test_a_long_log_is_read_in_time_and_its_end_is_read() -> None:
    line = "2024-08-09 18:31:40.646326213 [W:onnxruntime:, transformer_memcpy.cc:74 ApplyImpl] key: value 1.2\n"
    text = line * (8_000_000 // len(line)) + "onnxruntime 1.20.1\nError: dxil.dll\n"

    report = read(Post(Role.REPORTER, text, markdown=False))

    assert values(report, "onnxruntime") == ["1.20.1"]
    assert "windows" in values(report, "os")
