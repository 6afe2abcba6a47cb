"""The page of the shell, as browsers and crawlers get it."""

import gzip
import unittest

from tenon import SANITIZED, Client, TenonTest


@unittest.skipIf(SANITIZED, "builds for sanitizers have no UI")
class Page(TenonTest):
    def get(self, path, **headers):
        client = Client(self.server)
        self.addCleanup(client.close)
        return client.request("GET", path, headers={"Accept": "text/html", **headers})

    def test_compresses_html_for_clients_that_accept_gzip(self):
        plain = self.get("/")
        self.assertEqual((200, None), (plain.status, plain.headers.get("content-encoding")), plain)
        packed = self.get("/", **{"Accept-Encoding": "br, gzip"})
        self.assertEqual("gzip", packed.headers.get("content-encoding"))
        self.assertIn("Accept-Encoding", packed.headers.get("vary"))
        self.assertEqual(plain.body, gzip.decompress(packed.body))
        self.assertLess(len(packed.body), 0.6 * len(plain.body))
        self.assertIsNone(self.get("/", **{"Accept-Encoding": "gzip;q=0"}).headers.get("content-encoding"))


if __name__ == "__main__":
    unittest.main()
