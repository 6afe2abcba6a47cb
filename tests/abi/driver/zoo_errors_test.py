"""Errors of plugins at run time: the log and the response name where they are."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "integration"))

import tenon  # noqa: E402
import zoo_test  # noqa: E402


class WrongResponses(zoo_test.Specimen):
    name = "wrong_responses"

    def test_log_names_wrong_part_of_response(self):
        """fault: a response in C has a wrong status, type, header field or body
        | 500 | the log names the part of the response, the plugin, the route and the request"""
        for path, field, reason in (("status", "status", "999 is not a status"), ("type", "content_type", "not allowed"),
                                    ("field", "fields[1] (set-cookie)", "sets this field itself"),
                                    ("body", "body", "a size and no data"), ("problem", "status", "200 is not a status from 400")):
            response = self.client().get(f"{self.url}/{path}")
            self.assertEqual(response.status, 500, path)
            line = self.assert_logged(reason)
            for words in ("rejected a response", f"field={field if field.isidentifier() else chr(34) + field}", f"plugin={self.plugin}",
                          f'route="GET {self.url}/{path}"', f"request_id={response.headers['x-request-id']}"):
                self.assertIn(words, line)

    def test_log_names_missing_interface(self):
        """fault: a plugin asks for an interface that the host lacks | the plugin gets NULL | the log names the interface and both ABI versions"""
        line = self.assert_logged("this host lacks an interface that the plugin asks for")
        for words in (f"plugin={self.plugin}", "interface=tenon.telepathy/1", "host_abi=0.13", "plugin_abi=0.13"):
            self.assertIn(words, line)


class WrongStatements(zoo_test.Specimen):
    name = "wrong_statements"
    engines = tenon.BOTH

    def test_log_names_rejected_statement(self):
        """fault: a statement of a plugin is wrong | 500 without the statement
        | the log has the statement without its values, the reason, the plugin, the route and the request"""
        for path, route, statement in (("query/secret-value", "query/{id}", "SELECT titel FROM"), ("exec", "exec", "UPDATE nothing SET a = 1")):
            response = self.client().get(f"{self.url}/{path}")
            problem = self.assert_problem(response, 500, "plugin.failed")
            self.assertNotIn("development", problem)
            self.assertNotIn(b"titel", response.body)
            line = self.assert_logged(f'statement="{statement}')
            for words in ("rejected a statement", "code=data.sql", "reason=", f"plugin={self.plugin}", f'route="GET {self.url}/{route}"',
                          f"request_id={problem['request_id']}"):
                self.assertIn(words, line)
            self.assertNotIn("secret-value", line)

    def test_wrong_body_is_the_clients_error(self):
        for body, field in (({"owner": {}, "count": 1}, "name"), ({"owner": {"name": "ada"}}, "count"), ({}, "owner")):
            problem = self.assert_problem(self.client().post(f"{self.url}/body", body), 422, "request.invalid")
            self.assertEqual(problem["errors"], [{"field": field, "code": "required", "message": "This field is required."}])
        wrong = self.assert_problem(self.client().post(f"{self.url}/body", {"owner": {"name": 5}, "count": 1}), 422, "request.invalid")
        self.assertIn("type must be string, but is number", wrong["detail"])

    def test_own_json_stays_the_plugins_error(self):
        self.assertEqual(self.client().get(f"{self.url}/own-json").status, 500)
