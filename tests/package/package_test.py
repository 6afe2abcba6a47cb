"""The installed SDK builds the template, and refuses what the host would refuse."""

import json
import os
import pathlib
import platform
import shutil
import subprocess
import tarfile
import tempfile
import unittest

from prefix import BUILD, ROOT, compiler_cache, install, is_sanitized, run

class SdkTest(unittest.TestCase):
    """The SDK in a prefix, and the template in the folder `source`."""

    components = ("sdk",)

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.prefix, cls.source = f"{folder.name}/prefix", f"{folder.name}/plugin"
        cls.settings = compiler_cache(folder.name)
        install(cls.prefix, *cls.components)
        shutil.copytree(f"{cls.prefix}/share/tenon/sdk/templates/full", cls.source)

    @classmethod
    def run_program(cls, *command):
        return run(*command, environment=cls.settings)

    @classmethod
    def configure(cls, *options):
        return cls.run_program("cmake", "-S", cls.source, "-B", f"{cls.source}/build", f"-DCMAKE_PREFIX_PATH={cls.prefix}", *options)

    @classmethod
    def build(cls):
        return cls.run_program("cmake", "--build", f"{cls.source}/build")

    @classmethod
    def must_build(cls, *options):
        """Returns the output of the compiler."""
        code, output = cls.configure(*options)
        assert code == 0, output
        code, output = cls.build()
        assert code == 0, output
        return output


class Template(SdkTest):
    """Built once; each test begins with that build, at its place, changes one thing, and builds what that touches."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.must_build()
        cls.pristine = f"{cls.source}-pristine"
        cls.plugin = f"{cls.source}/build/lib/tenon/plugins/my-plugin"
        cls.library = f"{cls.plugin}/lib/{platform.machine()}/my-plugin.so"
        os.rename(cls.source, cls.pristine)

    def setUp(self):
        shutil.rmtree(self.source, ignore_errors=True)
        # With their times, which say that nothing is to be done.
        subprocess.run(["cp", "-a", self.pristine, self.source], check=True)

    def add_source(self, name, text):
        """One more source of the plugin: quicker than another one in its own."""
        pathlib.Path(self.source, "src", name).write_text(text)
        self.edit("CMakeLists.txt", "SOURCES src/my_plugin.cpp", f"SOURCES src/my_plugin.cpp src/{name}")

    def edit(self, path, old, new):
        file = pathlib.Path(self.source, path)
        text = file.read_text()
        self.assertIn(old, text)
        file.write_text(text.replace(old, new))

    def assert_builds(self):
        code, output = self.build()
        self.assertEqual(code, 0, output)
        return output

    def assert_build_fails(self, *words):
        code, output = self.build()
        self.assertNotEqual(code, 0, output)
        output = " ".join(output.split())
        for word in words:
            self.assertIn(word, output)

    def assert_configure_fails(self, *words):
        code, output = self.configure()
        self.assertNotEqual(code, 0, output)
        output = " ".join(output.split())
        for word in words:
            self.assertIn(word, output)

    def test_the_template_builds_and_is_laid_out(self):
        ui = pathlib.Path(self.source, "ui/dist")
        ui.mkdir()
        (ui / "manifest.json").write_text('{"entry":"entry.js"}')
        self.assert_builds()
        for path in ("plugin.json", "tables.json", "migrations/0001_entries_by_time.sql", "ui/manifest.json"):
            self.assertTrue(os.path.isfile(f"{self.plugin}/{path}"), path)
        _, symbols = self.run_program("nm", "-D", "--defined-only", self.library)
        self.assertEqual([line.split()[-1] for line in symbols.splitlines()], ["tenon_plugin_entry_v1"])
        _, facts = self.run_program("readelf", "-p", ".tenon.plugin", self.library)
        self.assertIn('{"id":"my-plugin","version":"0.1.0","abi":{"major":0,"minor":13},"needs_host_minor":13}', facts)
        _, notes = self.run_program("readelf", "-n", self.library)
        self.assertIn("Build ID", notes)

    @unittest.skipIf(is_sanitized(), "a build for sanitizers has no npm packages")
    def test_the_npm_packages_match_the_template(self):
        asked = json.loads(pathlib.Path(self.source, "ui/package.json").read_text())["devDependencies"]
        files = {version.removeprefix("file:sdk/") for version in asked.values() if version.startswith("file:")}
        self.assertEqual(files, set(os.listdir(f"{self.prefix}/share/tenon/sdk/npm")))
        for file in files:
            with tarfile.open(f"{self.prefix}/share/tenon/sdk/npm/{file}") as packed:
                names = set(packed.getnames())
                manifest = json.load(packed.extractfile("package/package.json"))
            # Node reads no TypeScript below node_modules.
            self.assertEqual([name for name in names if name.endswith((".ts", ".tsx")) and not name.endswith(".d.ts")], [])
            for exported in [*manifest["exports"].values(), *manifest.get("bin", {}).values()]:
                for path in exported.values() if isinstance(exported, dict) else [exported]:
                    self.assertIn(f"package/{path.removeprefix('./')}", names, file)

    def test_templates_and_examples_use_tested_versions(self):
        asked = {}
        for path in (pathlib.Path(self.source, "ui/package.json"), ROOT / "sdk/examples/uptime/ui/package.json"):
            asked |= json.loads(path.read_text())["devDependencies"]
        tested = {}
        for path in (ROOT / "shell-ui/package.json", *(ROOT / "shell-ui/packages").glob("*/package.json")):
            manifest = json.loads(path.read_text())
            tested |= manifest.get("dependencies", {}) | manifest.get("devDependencies", {})
        for name, version in asked.items():
            if not version.startswith("file:"):
                self.assertEqual(tested.get(name), version, name)

    def test_what_changes_in_the_manifest_reaches_the_library(self):
        self.edit("plugin.json", '"version": "0.1.0"', '"version": "0.2.0-beta.1"')
        code, output = self.build()
        self.assertEqual(code, 0, output)
        _, facts = self.run_program("readelf", "-p", ".tenon.plugin", self.library)
        self.assertIn('"version":"0.2.0-beta.1"', facts)
        self.assertIn("0.2.0-beta.1", pathlib.Path(self.plugin, "plugin.json").read_text())

    def test_a_renamed_field_breaks_the_sources(self):
        self.edit("tables.json", '"name": "text"', '"name": "words"')
        code, output = self.build()
        self.assertNotEqual(code, 0, output)
        self.assertIn("has no member named ‘text’", output)

    def test_wrong_tables_are_refused_by_file_and_place(self):
        self.edit("tables.json", '"type": "text"', '"type": "words"')
        self.assert_build_fails("tables.json: /tables/0/fields/0/type: ")

    def test_a_removed_migration_leaves_the_plugin(self):
        os.remove(f"{self.source}/migrations/0001_entries_by_time.sql")
        pathlib.Path(self.source, "migrations/0001_other.sql").write_text("SELECT 1;\n")
        code, output = self.build()
        self.assertEqual(code, 0, output)
        self.assertEqual(os.listdir(f"{self.plugin}/migrations"), ["0001_other.sql"])

    def test_a_source_without_entry_is_refused(self):
        pathlib.Path(self.source, "src/nothing.c").write_text("int nothing;\n")
        self.edit("CMakeLists.txt", "SOURCES src/my_plugin.cpp", "SOURCES src/nothing.c")
        self.assert_build_fails("tenon_plugin_entry_v1 is missing")

    def test_a_plugin_without_library_needs_no_sources(self):
        shutil.rmtree(f"{self.source}/build")
        self.edit("plugin.json", '  "abi": { "major": 0, "minor": 13 },\n', "")
        self.assert_configure_fails('has no "abi"', "remove SOURCES")
        self.edit("CMakeLists.txt", "  SOURCES src/my_plugin.cpp\n", "")
        self.edit("CMakeLists.txt", "LANGUAGES C CXX", "LANGUAGES C")
        self.must_build()
        self.assertEqual(sorted(os.listdir(self.plugin)), ["migrations", "plugin.json", "tables.json"])

    def test_another_id_than_the_manifests_is_refused(self):
        self.edit("plugin.json", '"id": "my-plugin",\n  "name"', '"id": "other",\n  "name"')
        self.assert_configure_fails("id is 'other'", "called with 'my-plugin'")

    def test_a_reserved_id_is_refused(self):
        self.edit("plugin.json", '"id": "my-plugin",\n  "name"', '"id": "core",\n  "name"')
        self.edit("CMakeLists.txt", "tenon_add_plugin(my-plugin", "tenon_add_plugin(core")
        self.assert_configure_fails("'core' is invalid")

    def test_a_broken_manifest_is_named_by_location(self):
        self.edit("plugin.json", '"minor": 13', '"minor": "x"')
        self.assert_configure_fails("plugin.json", "abi.minor")

    def test_a_missing_library_fails_at_link_time(self):
        self.add_source("more.c", "void nowhere(void);\nvoid (*volatile somewhere)(void) = &nowhere;\n")
        self.assert_build_fails("nowhere")

    def test_a_symbol_marked_for_export_stays_inside(self):
        self.add_source("more.c", '__attribute__((visibility("default"))) int loud = 1;\n')
        self.assert_builds()
        _, symbols = self.run_program("nm", "-D", "--defined-only", self.library)
        self.assertNotIn("loud", symbols)

    def test_refuses_a_version_script_with_more_exports(self):
        self.add_source("more.c", '__attribute__((visibility("default"))) int loud = 1;\n')
        with open(f"{self.source}/CMakeLists.txt", "a", encoding="utf-8") as file:
            file.write(
                'file(WRITE "${CMAKE_BINARY_DIR}/more.map" "{ global: tenon_plugin_entry_v1; loud; local: *; };")\n'
                'get_target_property(options my-plugin LINK_OPTIONS)\n'
                'list(FILTER options EXCLUDE REGEX version-script)\n'
                'set_target_properties(my-plugin PROPERTIES LINK_OPTIONS "${options}")\n'
                'target_link_options(my-plugin PRIVATE "-Wl,--version-script=${CMAKE_BINARY_DIR}/more.map")\n')
        self.assert_build_fails("exports loud")

    def test_warns_of_a_thread_local_with_destructor(self):
        self.add_source("more.cpp", "#include <string>\nstd::size_t remember() {\n  thread_local std::string kept;\n  kept += 'x';\n"
                        "  return kept.size();\n}\nstd::size_t (*volatile kept_alive)() = &remember;\n")
        output = " ".join(self.assert_builds().split())
        self.assertIn("worker or restart", output)


class NewPlugin(SdkTest):
    components = ("sdk", "host")

    def test_an_installation_has_the_module_of_tls(self):
        self.assertTrue(os.path.isfile(f"{self.prefix}/lib/tenon/libtenon_tls.so"))

    def test_of_an_awkward_name_builds_with_clang(self):
        shutil.rmtree(self.source)
        code, output = self.run_program(f"{self.prefix}/bin/tenon", "plugin", "new", "class", "--output", self.source, "--json")
        self.assertEqual(code, 0, output)
        self.assertEqual(json.loads(output)["id"], "class")
        self.must_build("-DCMAKE_C_COMPILER=clang", "-DCMAKE_CXX_COMPILER=clang++")
        if is_sanitized():
            return  # a plugin without the sanitizer, in a host that has it
        code, output = self.run_program("ctest", "--test-dir", f"{self.source}/build", "--output-on-failure")
        self.assertEqual(code, 0, output)
        self.assertIn("100% tests passed, 0 tests failed out of 1", output)


@unittest.skipIf(is_sanitized(), "a build for sanitizers has no pages")
class DevelopmentPage(unittest.TestCase):
    def installed(self, component):
        """The paths below share/tenon/ui that a component installs."""
        with tempfile.TemporaryDirectory() as prefix:
            install(prefix, component)
            folder = pathlib.Path(prefix, "share/tenon/ui")
            return {path.relative_to(folder).parts[0] for path in folder.iterdir()}

    def test_comes_with_the_sdk_only(self):
        self.assertEqual({"development"}, self.installed("sdk"))
        host = self.installed("host")
        self.assertIn("index.html", host)
        self.assertNotIn("development", host)


class Refusals(SdkTest):
    def test_a_folder_that_is_there_is_left_alone(self):
        before = sorted(os.listdir(self.source))
        code, output = self.run_program(f"{BUILD}/bin/tenon", "plugin", "new", "guest-book", "--output", self.source)
        self.assertEqual(code, 1, output)
        self.assertIn("this is there already", output)
        self.assertEqual(before, sorted(os.listdir(self.source)))

    def test_refuses_an_invalid_plugin_id(self):
        for name in ("Guest", "guest_book", "../guest", "core", "test"):
            code, output = self.run_program(f"{BUILD}/bin/tenon", "plugin", "new", name, "--output", f"{self.source}/new")
            self.assertEqual(code, 1, output)
            self.assertIn(f'"{name}" is', output)
            self.assertFalse(os.path.exists(f"{self.source}/new"))


if __name__ == "__main__":
    unittest.main()
