"""./dev soak reports memory and descriptors that grow, and accepts those that are flat."""

import sys
import unittest

from tenon import ROOT

sys.path.insert(0, str(ROOT / "tools" / "dev"))

import soak  # noqa: E402


def samples(count=30, kib=lambda round_number: 40_000, descriptors=lambda round_number: 50):
    """A round each ten seconds."""
    return [(10.0 * number, kib(number), descriptors(number)) for number in range(1, count + 1)]


class Result(unittest.TestCase):
    def test_accepts_flat_samples(self):
        self.assertEqual([], soak.find_problems(samples()))
        noise = (0, 700, -400, 900, 100, -800, 300)
        self.assertEqual([], soak.find_problems(samples(kib=lambda n: 40_000 + noise[n % 7], descriptors=lambda n: 50 + n % 3)))

    def test_accepts_warm_up(self):
        self.assertEqual([], soak.find_problems(samples(kib=lambda n: min(20_000 + 3_000 * n, 45_000), descriptors=lambda n: min(30 + 5 * n, 60))))

    def test_reports_memory_leak(self):
        wrong = soak.find_problems(samples(kib=lambda n: 40_000 + 150 * n))
        self.assertEqual(1, len(wrong), wrong)
        self.assertIn("memory grew by", wrong[0])

    def test_reports_leak_between_odd_samples(self):
        self.assertTrue(soak.find_problems(samples(kib=lambda n: 40_000 + 150 * n - (3_000 if n % 5 == 0 else 0))))

    def test_reports_only_extreme_single_sample_as_leak(self):
        self.assertEqual([], soak.find_problems(samples(kib=lambda n: 50_000 if n == 25 else 40_000)))
        self.assertIn("once", soak.find_problems(samples(kib=lambda n: 90_000 if n == 25 else 40_000))[0])

    def test_reports_descriptor_leak(self):
        wrong = soak.find_problems(samples(descriptors=lambda n: 50 + n))
        self.assertEqual(1, len(wrong), wrong)
        self.assertIn("descriptors", wrong[0])

    def test_reports_too_few_samples(self):
        self.assertIn("too few", soak.find_problems(samples(count=8))[0])


if __name__ == "__main__":
    unittest.main()
