"""Single requests to a server, to make it ready and to check that it returns what is measured."""

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
        with OPENER.open(request, timeout=30) as response:
            status, fields, text = response.status, response.headers, response.read().decode()
    except urllib.error.HTTPError as error:
        status, fields, text = error.code, error.headers, error.read().decode()
    try:
        return status, fields, json.loads(text)
    except ValueError:
        return status, fields, text


def need(method, url, body=None, headers=None):
    """Returns the body of a response that must be a 2xx."""
    status, _, text = ask(method, url, body, headers)
    if status // 100 != 2:
        raise Unavailable(f"{method} {url} returned {status}: {text}")
    return text
