"""Tests wait for states: the list of long sleeps is as the tests are, and the rule notices each way to sleep."""

import pathlib
import tempfile
import unittest

import sleeps

ROOT = str(pathlib.Path(__file__).resolve().parents[2])
CASE = "tests/integration/a_test.py"


class LongSleeps(unittest.TestCase):
    def tree(self, files):
        root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        return root

    def test_the_list_is_as_the_tests_are(self):
        complaints = list(sleeps.long_sleeps(ROOT))
        self.assertFalse(complaints, "\n" + "\n".join(complaints))

    def test_counts_each_way_to_sleep(self):
        long = {
            "a.py": ["time.sleep(0.1)", "time.sleep(pause)", "sleep(1)"],
            "a.cpp": ["std::this_thread::sleep_for(std::chrono::milliseconds(51));", "sleep_for(milliseconds(400));", "sleep_for(1'000ms);",
                      "sleep_for(pause);", "sleep_until(later);", "::usleep(1'100'000);", "sleep(1);", "nanosleep(&time, NULL);"],
            "a.mjs": ["await page.waitForTimeout(5_100);", "await new Promise((resolve) => setTimeout(resolve, 250));",
                      "new Promise((done) => { setTimeout(done, pause) })", "await setTimeout(60);"],
        }
        for name, lines in long.items():
            for line in lines:
                self.assertEqual({f"tests/{name}": 1}, sleeps.counted(self.tree({f"tests/{name}": line})), line)

    def test_leaves_short_sleeps_deadlines_and_sources_alone(self):
        self.assertEqual({}, sleeps.counted(self.tree({
            "tests/a.py": "time.sleep(0.05)\nnote = 'time.sleep(1)'\n",
            "host/base/tests/a_test.cpp": "sleep_for(50ms);\nusleep(50'000);\nsleep_for_ever();\nvoid sleep() {}\n// sleep(1)\n",
            "tests/e2e/a.mjs": "setTimeout(() => fail(), 20_000);\nawait new Promise((resolve) => setTimeout(resolve, 50));\nsetTimeout(resolve);\n",
            "host/base/clock.cpp": "sleep_for(1s);\n"})))

    def test_refuses_more_and_asks_for_the_lower_number(self):
        for allowed, complaint in ((1, "2 sleeps of more than 50 ms"), (3, "lower the number in tests/architecture/sleeps.txt to 2")):
            root = self.tree({CASE: "time.sleep(1)\ntime.sleep(2)\n", sleeps.LIST: f"{allowed} {CASE}\n"})
            self.assertIn(complaint, "\n".join(sleeps.long_sleeps(root)))

    def test_asks_for_removal_of_a_missing_file(self):
        self.assertIn("to 0", "\n".join(sleeps.long_sleeps(self.tree({sleeps.LIST: f"1 {CASE}\n"}))))

    def test_update_lowers_and_never_raises(self):
        root = self.tree({CASE: "time.sleep(1)\n", "tests/b_test.py": "", sleeps.LIST: f"3 {CASE}\n1 tests/b_test.py\n"})
        self.assertEqual([], sleeps.update(root))
        self.assertEqual({CASE: 1}, sleeps.listed(root))
        (root / CASE).write_text("time.sleep(1)\n" * 2)
        self.assertEqual(1, len(sleeps.update(root)))
        self.assertEqual({CASE: 1}, sleeps.listed(root))


if __name__ == "__main__":
    unittest.main()
