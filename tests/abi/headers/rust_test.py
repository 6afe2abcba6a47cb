"""The Rust declarations of the SDK are those of the headers: in their text, and in the layout that both compilers give them."""

import pathlib
import re
import subprocess
import tempfile
import unittest

import abi_headers

ROOT = pathlib.Path(__file__).resolve().parents[3]
CRATE = ROOT / "sdk/rust"
# bindgen appends "_" to these.
RESERVED = {"type", "as", "fn", "impl"}


def output_of(*command):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def in_one_form(text):
    """Rust code without what depends on the settings of rustfmt."""
    return re.sub(r",(?=[)}\]>])", "", re.sub(r"\s", "", text))


def layout_in_c(structs, folder):
    lines = [f'#include <tenon/{path.name}>' for path in sorted((ROOT / "sdk/abi/tenon").glob("*.h"))]
    lines += ["#include <stdio.h>", "int main(void) {"]
    for struct in structs:
        lines.append(f'  printf("{struct.name} %zu\\n", sizeof({struct.name}));')
        lines += [f'  printf("{struct.name}.{member.name} %zu\\n", offsetof({struct.name}, {member.name}));' for member in struct.members]
    source = folder / "layout.c"
    source.write_text("\n".join([*lines, "}"]))
    output_of("cc", "-std=c11", "-I", ROOT / "sdk/abi", "-o", folder / "in_c", source)
    return output_of(folder / "in_c").splitlines()


def layout_in_rust(structs, folder, declarations):
    lines = [f'#[path = "{declarations}"] #[allow(dead_code)] mod sys;', "use std::mem::{size_of, MaybeUninit};", "fn main() {"]
    for struct in structs:
        lines.append(f'  println!("{struct.name} {{}}", size_of::<sys::{struct.name}>());')
        lines.append(f"  let it = MaybeUninit::<sys::{struct.name}>::uninit(); let at = it.as_ptr();")
        for member in struct.members:
            name = member.name + ("_" if member.name in RESERVED else "")
            lines.append(f'  println!("{struct.name}.{member.name} {{}}", '
                         f"unsafe {{ std::ptr::addr_of!((*at).{name}) as usize }} - at as usize);")
    source = folder / "layout.rs"
    source.write_text("\n".join([*lines, "}"]))
    output_of("rustc", "--edition=2021", "-o", folder / "in_rust", source)
    return output_of(folder / "in_rust").splitlines()


class RustDeclarations(unittest.TestCase):
    def layouts(self, declarations):
        structs = list(abi_headers.structs(ROOT / "sdk/abi").values())
        self.assertGreater(len(structs), 40)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            return layout_in_c(structs, folder), layout_in_rust(structs, folder, declarations)

    def test_have_the_layout_of_c(self):
        self.assertEqual(*self.layouts(CRATE / "src/sys.rs"))

    def test_layout_shows_a_moved_slot(self):
        with tempfile.TemporaryDirectory() as name:
            changed = pathlib.Path(name, "sys.rs")
            before, http, after = (CRATE / "src/sys.rs").read_text().partition("pub struct tenon_http {")
            slot = re.search(r"    pub respond: .*?>,\n", after, re.S)[0]
            changed.write_text(before + http + after.replace(slot, "", 1).replace("    pub check: ", slot + "    pub check: ", 1))
            in_c, in_rust = self.layouts(changed)
            differing = [c.split()[0] for c, rust in zip(in_c, in_rust) if c != rust]
        self.assertIn("tenon_http.respond", differing)
        self.assertIn("tenon_http.begin", differing)
        self.assertNotIn("tenon_http.check", differing)

    def test_are_those_of_bindgen(self):
        self.assertEqual(in_one_form(output_of(CRATE / "bindings.sh")), in_one_form((CRATE / "src/sys.rs").read_text()),
                         "the headers changed: run sdk/rust/bindings.sh")

    def test_crate_has_the_version_of_the_sdk(self):
        version = re.search(r"project\(tenon VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertIn(f'\nversion = "{version}"\n', (CRATE / "Cargo.toml").read_text())


if __name__ == "__main__":
    unittest.main()
