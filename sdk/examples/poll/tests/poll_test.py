"""Tests polls as their authors and visitors use them."""

import unittest

from tenon_testing import PluginTest


class Polls(PluginTest):
    def make(self, **fields):
        response = self.ada.post("/api/poll/polls", {"question": "Tea or coffee?", **fields})
        self.assertEqual(201, response.status, response)
        return response.json()["id"]

    def vote(self, poll, choice="yes"):
        return self.anonymous().post("/api/poll/votes", {"poll": poll, "choice": choice})

    def test_visitors_vote_without_an_account(self):
        poll = self.make()
        self.assertIn(poll, [item["id"] for item in self.anonymous().get("/api/poll/polls").json()["items"]])
        # The visitor may not read votes, not even the own one.
        self.assertIn(self.vote(poll).status, (201, 204))
        self.assertIn(self.vote(poll, "no").status, (201, 204))
        counted = self.ada.get(f"/api/poll/votes?filter=poll='{poll}'&group=choice&agg=count").json()
        self.assertEqual({"yes": 1, "no": 1}, {group["choice"]: group["count"] for group in counted["items"]})

    def test_visitors_do_not_read_votes(self):
        self.assertEqual(401, self.anonymous().get("/api/poll/votes").status)

    def test_closed_polls_take_no_votes(self):
        poll = self.make(open=False)
        self.assertNotIn(poll, [item["id"] for item in self.anonymous().get("/api/poll/polls").json()["items"]])
        self.assertGreaterEqual(self.vote(poll).status, 400)
        self.assertEqual([], self.ada.get(f"/api/poll/votes?filter=poll='{poll}'").json()["items"])

    def test_unknown_choices_are_refused(self):
        self.assert_refused(self.vote(self.make(), "maybe"), 422, "records.validation")


if __name__ == "__main__":
    unittest.main()
