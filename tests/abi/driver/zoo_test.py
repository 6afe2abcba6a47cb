"""Runs plugins that misbehave in the real server. Checks what the host does, and that all other plugins continue to work."""

import os
import pathlib
import signal
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/integration"))

import tenon  # noqa: E402

ZOO = tenon.BUILD / "tests/plugins/zoo"
EXERCISES = tenon.BUILD / "tests/plugins/exercise"


class Specimen(tenon.TenonTest):
    """One server for the specimen `name`, and a healthy plugin in the same process."""

    name = None
    fails_with = None

    @classmethod
    def setUpClass(cls):
        if cls.name is None:
            raise unittest.SkipTest("no specimen")
        cls.plugin = cls.name.replace("_", "-")
        cls.url = f"/api/{cls.plugin}"
        cls.arguments = ("--plugins", str(ZOO / cls.name), "--plugins", str(EXERCISES))
        super().setUpClass()
        cls.admin = tenon.Client(cls.server).sign_in("ada")
        tenon.wait_for_migrations(cls.server)

    @classmethod
    def tearDownClass(cls):
        cls.admin.close()
        super().tearDownClass()

    def item(self):
        return next(item for item in self.admin.get("/api/core/plugins").json()["items"] if item["id"] == self.plugin)

    def assert_others_serve(self):
        self.assertEqual(self.client().get("/api/built-here/hello/x").body, b'{"hello":"x"}')

    def change(self, what):
        return self.admin.post(f"/api/core/plugins/{self.plugin}/{what}")

    def assert_failed(self, code, *words):
        """Checks that the admin reads the reason, that the plugin has no routes, and that another attempt fails for the same reason."""
        item = self.item()
        self.assertEqual((item["state"], item["reason"]["code"]), ("failed", code), item)
        for word in words:
            self.assertIn(word, item["reason"]["message"])
        self.assertEqual(self.client().get(f"{self.url}/ok").status, 404)
        again = self.assert_problem(self.change("enable"), 409, code)["detail"]
        self.assertTrue(again.endswith(item["reason"]["message"]), again)
        self.assert_others_serve()


def load_tests(loader, _tests, _pattern):
    """Leaves out the base class."""
    suite = unittest.TestSuite()
    for value in list(globals().values()):
        if isinstance(value, type) and issubclass(value, unittest.TestCase) and value is not Specimen:
            suite.addTests(loader.loadTestsFromTestCase(value))
    return suite


class ThrowsInHandler(Specimen):
    name = "throws_in_handler"

    def test_contains_exceptions_of_the_plugin(self):
        """fault: a handler throws | 500 without the message of the exception | the log of the plugin: the message"""
        for path in ("standard", "number", "inline"):
            response = self.client().get(f"{self.url}/{path}")
            self.assertEqual(response.status, 500, path)
            self.assertNotIn(b"secret", response.body)
        self.assert_problem(self.client().get(f"{self.url}/expected"), 418, "zoo.teapot")
        self.assert_logged("the secret inside")
        self.assertEqual(self.client().get(f"{self.url}/ok").body, b"ok")
        self.assert_others_serve()

    def test_cuts_stream_that_throws(self):
        with self.assertRaises(Exception):
            self.client().get(f"{self.url}/stream")
        self.assertEqual(self.client().get(f"{self.url}/ok").body, b"ok")


class RespondsTwice(Specimen):
    name = "responds_twice"

    def test_keeps_first_response_and_rejects_second(self):
        client = self.client()
        self.assertEqual(client.get(f"{self.url}/twice").body, b"first")
        # The first response may arrive before the plugin has tried its second.
        tenon.eventually(lambda: client.get(f"{self.url}/code").body != b"0")
        self.assertEqual(client.get(f"{self.url}/code").body, b"-2", "TENON_E_HANDLE")
        line = self.assert_logged("the plugin responded twice to one request")
        for words in (f"plugin={self.plugin}", f'route="GET {self.url}/twice"', "request_id="):
            self.assertIn(words, line)
        self.assert_others_serve()


class ClaimsToHaveResponded(Specimen):
    name = "claims_to_have_responded"

    def test_host_responds_for_the_plugin(self):
        for path in ("claim", "failure", "nonsense"):
            response = self.client().get(f"{self.url}/{path}")
            self.assertEqual(response.status, 500, path)
            self.assertEqual(response.headers["content-type"], "application/problem+json")
        self.assert_others_serve()


class StaleHandle(Specimen):
    name = "stale_handle"

    def test_rejects_ended_and_unknown_handles(self):
        """fault: a plugin uses handles that have ended or never existed
        | each call fails with a code
        | nothing: the plugin gets the code"""
        self.assertEqual(self.client().get(f"{self.url}/try").body, b"54 of 54 refused")

    def test_rejects_handle_of_earlier_request(self):
        client = self.client()
        self.assertEqual(client.get(f"{self.url}/keep").body, b"kept")
        for _ in range(50):
            self.assertEqual(client.get(f"{self.url}/use").body, b"refused")


class NeverResponds(Specimen):
    name = "never_responds"
    environment = {"TENON_PLUGINS_DRAIN": "1s"}

    def test_disabling_responds_to_forgotten_requests(self):
        """fault: a handler never responds | 503 when the plugin is disabled | nothing stays mapped"""
        responses = []
        forgotten = [threading.Thread(target=lambda: responses.append(tenon.Client(self.server).get(f"{self.url}/never")))
                     for _ in range(3)]
        for thread in forgotten:
            thread.start()
        client = self.client()
        self.assertTrue(tenon.eventually(lambda: client.get(f"{self.url}/promised").body == b"3"), "the requests did not arrive")
        self.assertEqual(self.change("disable").json()["state"], "disabled")
        for thread in forgotten:
            thread.join(tenon.RESPONSE_SECONDS)
        self.assertEqual([response.status for response in responses], [503] * 3)
        self.assertEqual(self.item()["resident"], 0)
        self.assertEqual(self.change("enable").json()["state"], "active")
        self.assertEqual(self.client().get(f"{self.url}/promised").body, b"0", "a new copy of the library")
        self.assert_others_serve()


class KeepsAThread(Specimen):
    name = "keeps_a_thread"

    def test_disables_despite_running_thread(self):
        """fault: a thread of the plugin does not end when it stops | the thread continues, its library stays mapped | `resident` in the list"""
        self.assertEqual(self.client().get(f"{self.url}/ok").body, b"ok")
        item = self.change("disable").json()
        self.assertEqual((item["state"], item["resident"]), ("disabled", 1), item)
        self.assertEqual(self.client().get(f"{self.url}/ok").status, 404)
        self.assert_others_serve()
        self.assertEqual(self.change("enable").json()["state"], "active")
        self.assertEqual(self.client().get(f"{self.url}/ok").body, b"ok")


class TlsDestructor(Specimen):
    name = "tls_destructor"

    def test_reports_library_that_stays_mapped(self):
        """fault: a library with destructors of thread-locals
        | stays mapped when it is closed; the next generation is a copy of its own
        | `resident` in the list"""
        for _ in range(3):
            self.assertEqual(self.client().get(f"{self.url}/touch").body, b"touched")
            self.assertEqual(self.change("disable").json()["state"], "disabled")
            self.assert_others_serve()
            self.assertEqual(self.change("enable").json()["state"], "active")
        self.assertEqual(self.item()["resident"], 3)


class AbiTooNew(Specimen):
    name = "abi_too_new"

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.witness = pathlib.Path(cls.folder.name, "witness")
        cls.environment = {"ZOO_WITNESS": str(cls.witness)}
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.folder.cleanup()

    def test_rejects_plugin_before_running_its_code(self):
        """fault: a plugin for an ABI that is newer than the host
        | refused before any code of it runs
        | `plugins.abi_too_new` with both versions"""
        self.assert_failed("plugins.abi_too_new", "99")
        self.assertFalse(self.witness.exists())


class MissingSymbol(Specimen):
    name = "missing_symbol"

    def test_rejects_plugin(self):
        self.assert_failed("plugins.missing_symbol", "tenon_plugin_entry_v1")


class WrongId(Specimen):
    name = "wrong_id"

    def test_rejects_plugin(self):
        item = self.item()
        self.assertEqual(item["state"], "failed", item)
        self.assertIn(item["reason"]["code"], ("plugins.facts_mismatch", "plugins.entry_invalid"))
        self.assertIn("differ in id", item["reason"]["message"])
        self.assert_others_serve()


class DuplicateRoute(Specimen):
    name = "duplicate_route"

    def test_names_duplicate_route(self):
        item = self.item()
        self.assertEqual(item["state"], "failed", item)
        self.assertIn("/api/duplicate-route/things/{name}", item["reason"]["message"])
        self.assertEqual(self.client().get(f"{self.url}/things/1").status, 404)
        self.assert_others_serve()


class DescribesWrongly(Specimen):
    name = "describes_wrongly"

    def test_names_invalid_component(self):
        item = self.item()
        self.assertEqual(item["state"], "failed", item)
        self.assertIn('x-components/schemas/core.user does not begin with "describes-wrongly."', item["reason"]["message"])
        self.assert_others_serve()


class CreateFails(Specimen):
    name = "create_fails"

    def test_shows_error_of_constructor(self):
        item = self.item()
        self.assertEqual(item["state"], "failed", item)
        self.assertIn("The license file is missing.", item["reason"]["message"])
        self.assertEqual(item["resident"], 0)
        self.assertEqual(self.client().get(f"{self.url}/ok").status, 404)
        self.assert_others_serve()


class StartFails(Specimen):
    name = "start_fails"

    def test_shows_error_of_start_and_cleans_up(self):
        """fault: start fails | `failed`; its routes and callbacks are removed | its message in the list and the log"""
        for _ in range(3):
            item = self.item()
            self.assertEqual((item["state"], item["resident"]), ("failed", 0), item)
            self.assertIn("no such table", item["reason"]["message"])
            self.assertEqual(self.change("enable").status, 409)
        self.assertEqual(self.client().get(f"{self.url}/ok").status, 404)
        self.assert_others_serve()


class NullWrite(unittest.TestCase):
    """A host in one process cannot survive this. The process ends at once, and its exit status names the signal."""

    def test_process_dies_by_signal(self):
        """fault: a write through a null pointer | the process ends at once by the signal | the parent process: the signal"""
        server = tenon.Server("--plugins", str(ZOO / "null_write"), environment={"ASAN_OPTIONS": "detect_leaks=0"})
        self.addCleanup(server.log_path.unlink, missing_ok=True)
        server.start()
        with self.assertRaises(OSError):
            tenon.Client(server).get("/api/null-write/crash")
        code = server.process.wait(tenon.STOP_SECONDS)
        if os.fspath(tenon.BUILD).endswith(("asan", "tsan")):
            self.assertNotEqual(code, 0)
        else:
            self.assertEqual(code, -signal.SIGSEGV)


class MisusesBlobs(Specimen):
    name = "misuses_blobs"

    def said(self, path):
        return self.client().get(f"{self.url}/{path}").body.decode()

    def test_returns_code_of_each_misuse(self):
        self.assertEqual(self.said("try").split(), (
            "null_writer=-1 null_host=-1 made_up=-2 none=-2 request_as_writer=-2 create=0 null_bytes=-1 writer_as_reader=-2 "
            "write=0 finish=0 write_over=-2 finish_over=-2 abort_over=-2 abort=0 abort_twice=-2 null_id=-1 no_such=-11 path=-11 "
            "null_reader=-1 open=0 null_buffer=-1 null_size=-1 too_much=-5 end=3 far_past_end=3 close=0 read_over=-2 "
            "close_twice=-2 empty_key=-1 claim_none=-11 release_none=0 null_blob=-1 not_uploaded=-10 late=-3 respond_none=-11 "
            "respond_flags=-1 respond_name=-1 respond_stray=-2 size=0").split())

    def test_fills_shorter_struct(self):
        self.assertEqual(self.said("short"), "kept")

    def test_limits_open_readers_and_writers(self):
        for _ in range(2):
            self.assertEqual(self.said("hoard"), "64 writers -6, 256 readers -6")

    def test_rejects_disk_access_in_inline_route(self):
        self.assertEqual(self.said("inline"), "create=-3 ")

    def test_accepts_each_upload_once(self):
        response = self.client().get(f"{self.url}/twice")
        self.assertEqual((response.body, response.headers["content-disposition"]), (b"twice", 'attachment; filename="twice.txt"'))
        # The plugin continues after its response has reached the client.
        tenon.eventually(lambda: not self.said("made").endswith("twice=0"))
        self.assertEqual(self.said("made"), "early=-3 null=-1 small=-1 unsaid=-1 public=-1 undeclared=-1 svg=-1 many_types=-1 "
                                            "accepted=0 again=-3 same_route=-1 twice=-2")

    def test_requires_permission_for_uploads(self):
        headers = {"Tus-Resumable": "1.0.0", "Upload-Length": "5"}
        done = tenon.tenon("user", "add", "bob", "--role", "member", "--password-stdin", "--data", self.server.data,
                           stdin=tenon.PASSWORD + "\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        bob = tenon.Client(self.server).sign_in("bob")
        self.addCleanup(bob.close)
        self.assert_problem(bob.post(f"{self.url}/blobs", headers=headers), 403, "identity.forbidden")
        self.assertEqual(self.admin.post(f"{self.url}/blobs", headers=headers).status, 201)

    def test_closes_files_that_it_leaves_open(self):
        self.assertEqual(self.said("leave"), "left")
        drafts = pathlib.Path(self.server.data) / "blobs/misuses-blobs/tmp"
        self.assertEqual(len(list(drafts.iterdir())), 1)
        self.assertEqual(self.change("disable").status, 200)
        self.assertEqual(list(drafts.iterdir()), [])
        self.assertEqual(self.change("enable").status, 200)
        self.assert_others_serve()


class MisusesJobs(Specimen):
    name = "misuses_jobs"

    def said(self, path):
        return self.client().get(f"{self.url}/{path}").body.decode()

    def run_job(self, kind):
        """Runs a job. Returns its final state and attempts, as numbers of the ABI, and its error."""
        job = self.said(f"order/{kind}")
        deadline = time.monotonic() + 60
        while True:
            code, state, attempts, error = self.said(f"job/{job}").split(" ", 3)
            self.assertEqual(code, "0")
            if int(state) >= 2:
                return int(state), int(attempts), error
            self.assertLess(time.monotonic(), deadline, (state, attempts, error))
            time.sleep(0.02)

    def test_returns_code_of_each_misuse(self):
        self.assertEqual(self.said("made").split(), (
            "early=-3 null=-1 no_fn=-1 broken=-1 bad_kind=-1 on=0 twice=-1 null_schedule=-1 small=-1 no_name=-1 no_handler=-1 flags=-1 "
            "cron=-1 zone=-1 payload=-1 schedule=0 same_name=-1 drops=4 kinds=64 more=-5 schedules=100 more=-5").split())
        self.assertEqual(self.said("try").split(), (
            "null_host=-1 null_order=-1 small_order=-1 no_kind=-1 bad_kind=-1 no_json=-1 two_values=-1 long_key=-1 attempts=-1 "
            "most=-1 no_handler=-1 order=0 is_new=1 again=0 is_new=0 null_job=-1 broken_id=-1 unknown=-11 find=0 state=0 cancel=0 state=4 "
            "cancel_again=-3 cancel_none=-11 late_on=-3 dropped=1 late_schedule=-3").split())

    def test_fills_shorter_struct(self):
        self.assertEqual(self.said("short"), "kept")

    def test_rejects_disk_access_in_inline_route(self):
        self.assertEqual(self.said("inline"), "enqueue=-3 ")

    def test_rejects_handle_of_finished_run(self):
        self.assertEqual(self.run_job("keeps"), (2, 1, ""))
        self.assertEqual(self.said("inside").split(), "progress=0 broken=-1 no_utf8=-1 asked=0 next=-2 late_on=-1".split())
        self.assertEqual(self.said("after").split(), "progress=-2 asked=-2 request=-2 none=-2".split())

    def test_retries_job_with_negative_or_unknown_code(self):
        self.assertEqual(self.run_job("negative"), (3, 2, "The handler returned 2 and no message."))
        self.assertEqual(self.run_job("nonsense"),
                         (3, 2, "The handler returned 77, which is no known code. (its message is not valid UTF-8)"))
        self.assert_others_serve()


class MisusesEvents(Specimen):
    name = "misuses_events"

    def said(self, path):
        return self.client().get(f"{self.url}/{path}").body.decode()

    def test_returns_code_of_each_misuse(self):
        self.assertEqual(self.said("made").split(), (
            "early=-3 null_host=-1 null=-1 small=-1 empty=-1 bad=-1 dot=-1 long=-1 undeclared=-1 news=0 twice=-1 permitted=0 "
            "thread=-3 topics=32 more=-5").split())
        self.assertEqual(self.said("try").split(), (
            "null_host=-1 null_event=-1 small=-1 flags=-1 broken=-1 broken_data=-1 undeclared=-11 whole_name=-11 no_json=-1 "
            "two_values=-1 no_utf8=-1 line_breaks=0 nothing=0 largest=0 too_large=-5 all_and_named=-1 named=0 too_many=-5 many=0 "
            "no_user=0 null_groups=-1 no_id=-1 broken_id=-1 long_id=-1 groups=-5 stale=-2 no_transaction=-2 late=-3").split())

    def test_reads_shorter_struct(self):
        with self.admin.events("misuses-events.news") as stream:
            self.assertEqual(self.said("short"), "short=0 ")
            self.assertEqual(stream.next("misuses-events.news")["data"], "short")

    def test_limits_events_of_a_transaction(self):
        self.assertEqual(self.said("held"), "held=100 more=-5 rollback=0 over=-2 ")
        self.assert_others_serve()

    def test_rejects_events_of_stopped_plugin(self):
        self.assertEqual(self.change("disable").status, 200)
        self.assert_logged("a plugin failed to stop")
        self.assertEqual(self.change("enable").status, 200)


class FloodsWithEvents(Specimen):
    name = "misuses_events"

    def test_accepts_two_hundred_events_at_once(self):
        self.assertEqual(self.client().get(f"{self.url}/flood").body.decode(), "enough=1 more=-6 ")
        self.assert_others_serve()


class TopicIsTable(Specimen):
    name = "topic_is_table"

    def test_names_topic_that_is_a_table(self):
        self.assert_failed("plugins.topic_is_table", '"boards"')


class MisusesSearch(Specimen):
    name = "misuses_search"

    def said(self, path):
        return self.client().get(f"{self.url}/{path}").body.decode()

    def test_returns_code_of_each_misuse(self):
        self.assertEqual(self.said("made"), "early=-3 ")
        self.assertEqual(self.said("try").split(), (
            "null_host=-1 null_who=-1 null_query=-1 null_sink=-1 no_sink=-1 stale=-2 small=-1 short=0 flags=-1 broken=-1 "
            "long_text=-1 no_utf8=-1 syntax=0 no_words=0 is_empty=0 limit=-1 null_tables=-1 broken_table=-1 no_table=-11 problem=1 "
            "plain=-1 twice=-1 too_many=-5 things=0 as_plugin=0 closed=-10 no_user=0 unnamed=0 who_flags=-1 who_stale=-2 begin=0 "
            "inside=0 end=0 over=-2").split())

    def test_rejects_search_in_inline_route(self):
        self.assertEqual(self.said("inline"), "find=-3 ")


class MisusesServices(Specimen):
    name = "misuses_services"

    def said(self, path):
        response = self.client().get(f"{self.url}/{path}")
        self.assertEqual(response.status, 200, response)
        return response.body.decode()

    def test_returns_code_of_each_misuse(self):
        self.assertEqual(self.said("made").split(), (
            "early=-3 null_host=-1 null=-1 no_fn=-1 broken=-1 empty=-1 dot=-1 no_revision=-1 far=-1 own=0 twice=-1 drops=8 "
            "offered=32 more=-5").split())
        self.assertEqual(self.said("try").split(), (
            "null_host=-1 null_call=-1 null_sink=-1 no_sink=-1 small=-1 flags=-1 broken=-1 no_plugin=-1 no_method=-1 no_revision=-1 "
            "revision=-14 deadline=-1 broken_request=-1 too_large=-5 no_service=-11 not_named=-10 away=-16 forgets=-15 nonsense=-15 "
            "unended=-6 say=0 over=-2 as_call=-2 late=-1 said").split())

    def test_keeps_first_response_and_reads_shorter_struct(self):
        self.assertEqual(self.said("twice"), "broken=-1 made_up=-2 ")

    def test_rejects_calls_where_waiting_is_forbidden(self):
        self.assertEqual(self.said("inline"), "call=-3 ")
        self.assertEqual(self.said("queued"), "refused")
        self.assert_others_serve()

    def test_rejects_calls_of_stopped_plugin(self):
        self.assertEqual(self.change("disable").status, 200)
        self.assert_logged("a plugin failed to stop")
        self.assertEqual(self.change("enable").status, 200)


class OffersServices(tenon.TenonTest):
    """Two plugins that work together. Each can be disabled."""

    arguments = ("--plugins", str(ZOO / "offers_services"), "--plugins", str(ZOO / "service_client"))

    def ask(self, method, seats=4):
        return self.client().get(f"/api/service-client/ask/{method}?seats={seats}")

    def change(self, what):
        self.assertEqual(self.client("ada").post(f"/api/core/plugins/offers-services/{what}").status, 200)

    def test_passes_result_and_failures_to_caller(self):
        self.assertEqual(self.ask("find").json(), {"room": "r4", "for": "service-client", "one": 1})
        self.assert_problem(self.ask("find", 101), 409, "offers-services.full")
        self.assert_problem(self.ask("lose"), 404, "services.unknown_method")
        for method in ("throw", "number"):
            response = self.ask(method)
            self.assertEqual(response.status, 500, method)
            self.assertNotIn(b"secret", response.body)
        self.assert_logged("the secret inside")
        self.assertEqual(self.ask("find").status, 200)

    def test_logs_in_the_name_of_the_provider(self):
        self.assertEqual(self.ask("log").json(), {"logged": True})
        self.assertIn("plugin=offers-services", self.assert_logged("asked for rooms"))

    def test_follows_state_of_provider(self):
        self.change("disable")
        problem = self.assert_problem(self.ask("find"), 503, "services.provider_unavailable")
        self.assertIn("disabled", problem["detail"])
        self.change("enable")
        self.assertEqual(self.ask("find").status, 200)


class MisusesTables(Specimen):
    name = "misuses_tables"

    def said(self, path):
        response = self.client().get(f"{self.url}/{path}")
        self.assertEqual(response.status, 200, response)
        return response.body.decode()

    def make(self, name, count=None):
        return self.client().post(f"{self.url}/things", {"name": name, "count": count})

    def test_returns_code_of_each_misuse(self):
        self.assertEqual(self.said("made").split(), (
            "early=-3 null=-1 no_fn=-1 broken=-1 no_name=-1 no_operation=-1 operation=-1 before=0 twice=-1 after=0 "
            "after_twice=-1 extend=0 extend_twice=-1 drops=8 long_name=-1").split())
        self.assertEqual(self.said("try").split(), (
            "null_host=-1 null_who=-1 null_sink=-1 no_sink=-1 broken=-1 no_table=-11 no_record=-11 problem=1 "
            "no_transaction=-2 flags=-1 small=-1 no_user=-10 both=-1 requester=0 record=1 texts=1 no_rule=-10 problem=1 texts=1 no_json=-1 no_name=-1 "
            "null_query=-1 small_query=-1 query_flags=-1 few=-1 null_values=-1 broken_value=-1 many=-1 too_many=-5 list=0 "
            "is_bound=1 value_type=-1 blob=-1 long_text=-5 limit=-1 begin=0 fails=-1 undone=-3 commit=-1 over=-2").split())

    def test_allows_only_own_transaction_in_write(self):
        response = self.make("misuse")
        self.assertEqual((response.status, response.json()["count"]), (201, 2), response)
        self.assertEqual(self.said("inside").split(), (
            "broken=-1 no_json=-1 no_object=-1 unknown=-1 id=-1 type=-1 set=0 twice=0 other=-2 as_page=-2 no_code=-1 no_utf8=-1 "
            "own=-3 own_db=-3 own_read=-3 user=-3 own_tx=0 query=0 late=-1").split())
        self.client().get(f"{self.url}/things/{response.json()['id']}")
        self.assertEqual(self.said("after").split(), "set=-2 refuse=-2 add=-2 write=-2 sql=-2 who=-2".split())

    def test_rolls_back_write_on_unknown_code(self):
        self.assert_problem(self.make("nonsense"), 500, "plugins.callback_failed")
        self.assert_problem(self.make("commits"), 500, "plugins.callback_failed")
        self.assert_logged("a callback before a write failed")
        self.assertEqual(self.client().get(f"{self.url}/things?filter=name='nonsense' or name='commits'".replace(" ", "%20"))
                         .json()["items"], [])

    def test_limits_errors_of_a_write(self):
        problem = self.assert_problem(self.make("refuses"), 422, "records.validation")
        self.assertEqual(len(problem["errors"]), 100)
        self.assertEqual(self.said("inside"), "refused=100 more=-5 ")

    def test_rejects_set_in_delete(self):
        made = self.make("gone").json()
        self.assert_problem(self.client().delete(f"{self.url}/things/{made['id']}"), 500, "plugins.callback_failed")

    def test_adds_only_valid_objects_to_page(self):
        made = self.make("page").json()
        self.assertEqual(self.client().get(f"{self.url}/things/{made['id']}").json()["extra"], {"x": 2})
        self.assertEqual(self.said("page").split(), (
            "broken=-1 no_json=-1 array=-1 large=-5 past_end=-1 other=-2 as_write=-2 add=0 again=0").split())

    def test_rejects_disk_access_in_inline_route(self):
        self.assertEqual(self.said("inline"), "insert=-3 ")
        self.assert_others_serve()


if __name__ == "__main__":
    unittest.main()
