import pathlib
import random
import tempfile
import urllib.request

from parts.rates import rates, warm
from results import Chart, Section
from servers.nginx import Nginx
from servers.tenon import Tenon

SIZES = (("4 KB", 4 * 1024), ("100 KB", 100 * 1024), ("1 MB", 1024 * 1024))
CONNECTIONS = (16, 64)
INDEX = '<!doctype html><title>bench</title><script type="importmap">{"imports":{}}</script><!--tenon:boot-->'


def file_name(size):
    return f"{size}.bin"


def check(url, expected):
    """Checks that the response is 200 with exactly these bytes."""
    with urllib.request.urlopen(url, timeout=10) as response:
        if response.status != 200 or response.read() != expected:
            raise SystemExit(f"bench: {url} does not return 200 with the bytes of the file")


def measure(arguments):
    """Requests per CPU-second of files: the assets of the shell (/ui/assets/) compared with nginx, which reads the same folder with sendfile."""
    lines = [
        "### Static files: requests per CPU-second, keep-alive, one I/O thread each",
        "",
        "| file | connections | nginx, `sendfile on` | and `open_file_cache` | Tenon, `/ui/assets/` | of nginx | of nginx with the cache |",
        "|---|---|---|---|---|---|---|",
    ]
    charts = []
    with tempfile.TemporaryDirectory(prefix="tenon-bench-ui-") as folder:
        ui = pathlib.Path(folder)
        assets = ui / "assets"
        assets.mkdir()
        (ui / "index.html").write_text(INDEX, encoding="utf-8")
        for _, size in SIZES:
            (assets / file_name(size)).write_bytes(random.Random(size).randbytes(size))
        with Tenon(arguments.build, options=("--threads-io", "1", "--ui", folder)) as tenon, Nginx(files=assets) as nginx:
            for title, size in SIZES:
                sides = (
                    ("nginx", nginx, f"{nginx.url}/files/{file_name(size)}"),
                    ("cached", nginx, f"{nginx.url}/cached/{file_name(size)}"),
                    ("tenon", tenon, f"{tenon.url}/ui/assets/{file_name(size)}"),
                )
                for _, _, url in sides:
                    check(url, (assets / file_name(size)).read_bytes())
                warm(sides)
                for connections in CONNECTIONS:
                    found = rates(sides, connections, arguments)
                    plain, cached, ours = found["nginx"], found["cached"], found["tenon"]
                    lines.append(f"| {title} | {connections} | {plain:,.0f} | {cached:,.0f} | {ours:,.0f} | **{ours / plain:.2f}** | **{ours / cached:.2f}** |")
                    print(f"  {title:6} {connections:3} connections: nginx {plain:9,.0f}  with cache {cached:9,.0f}  Tenon {ours:9,.0f}"
                          f" ({ours / plain:.2f}, {ours / cached:.2f})", flush=True)
                charts.append(Chart(f"File of {title}, {CONNECTIONS[-1]} connections", "requests per CPU-second", [
                    ("Tenon", ours), ("nginx sendfile", plain), ("nginx, files cached", cached)]))
    return Section(lines, charts)
