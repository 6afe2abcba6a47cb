"""Single requests to a server, to make it ready and to see that it answers what is measured."""

import json
import urllib.error
import urllib.request


# Never through a proxy of the environment: the servers are on this machine.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Unavailable(Exception):
    """A peer that cannot be measured here, and why."""


def ask(method, url, body=None, headers=None):
    """One request: (status, headers, JSON or text of the body)."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **(headers or {})}, method=method)
    try:
        with OPENER.open(request, timeout=30) as answer:
            status, fields, text = answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        status, fields, text = error.code, error.headers, error.read().decode()
    try:
        return status, fields, json.loads(text)
    except ValueError:
        return status, fields, text


def need(method, url, body=None, headers=None):
    """The body of an answer that must be a 2xx."""
    status, _, answer = ask(method, url, body, headers)
    if status // 100 != 2:
        raise Unavailable(f"{method} {url} answered {status}: {answer}")
    return answer
