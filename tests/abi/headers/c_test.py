"""Each C header compiles alone, without a warning, also as C99."""

import pathlib
import subprocess
import unittest

ABI = pathlib.Path(__file__).resolve().parents[3] / "sdk/abi"


class CHeaders(unittest.TestCase):
    def test_compile_alone_as_c99_and_c11(self):
        headers = sorted((ABI / "tenon").glob("*.h"))
        self.assertGreater(len(headers), 10)
        for header in headers:
            for standard in ("c99", "c11"):
                with self.subTest(header=header.name, standard=standard):
                    done = subprocess.run(
                        ["cc", f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Wstrict-prototypes", "-fsyntax-only",
                         "-I", ABI, "-x", "c", "-"],
                        input=f"#include <tenon/{header.name}>\n", text=True, capture_output=True)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
