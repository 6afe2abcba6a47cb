import statistics

from check import HotPaths
from results import Section

OPERATIONS = 200_000


def measure(arguments):
    """The cost of a call into a plugin compared with the same response by the host itself, without an HTTP server: one thread, and two."""
    paths = HotPaths(arguments.build)
    rows = []
    for threads in (1, 2):
        direct, plugin = [], []
        for _ in range(arguments.rounds * 2):
            direct.append(paths.nanoseconds("host_call", OPERATIONS, threads))
            plugin.append(paths.nanoseconds("plugin_call", OPERATIONS, threads))
        own, theirs = statistics.median(direct), statistics.median(plugin)
        rows.append(f"| {threads} | {own:.0f} ns | {theirs:.0f} ns | **{theirs - own:.0f} ns** |")
        print(f"  {threads} thread{'s' if threads > 1 else ''}: host {own:.0f} ns, plugin {theirs:.0f} ns, crossing {theirs - own:.0f} ns", flush=True)
    return Section([
        "### A call into a plugin, compared with the same response by the host itself (no HTTP server)",
        "",
        "| threads | host's own handler | plugin | crossing |",
        "|---|---|---|---|",
        *rows,
    ])
