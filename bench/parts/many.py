import statistics
import tempfile
import time

from results import Chart, Section
from servers.copies import copy_plugin
from servers.tenon import Tenon, folder_of

COUNTS = (100, 1_000)
# The copied plugin, the form of the copies' ids, and its description.
KINDS = (
    ("crossing", "idle{:04}", "one route, in C, no data"),
    ("small-0000", "small-{:04}", "a published table and a route, in C++"),
)
REST = 2


def figures(server):
    """Milliseconds from exec to `ready`, of processor time until then, and KiB at rest: proportional, and of it what is no file."""
    server.start()
    used = server.cpu_seconds()
    time.sleep(REST)
    memory = server.memory()
    server.stop()
    return server.seconds_to_ready * 1000, used * 1000, memory["Pss"], memory["Pss_Anon"]


def middle(samples):
    return [statistics.median(column) for column in zip(*samples)]


def measure(arguments):
    """Start and memory with 100 and 1,000 small plugins compared with a server without any: the cost of each."""
    lines = [
        "### Many small plugins",
        "",
        "| each of them | plugins | exec to `ready`, median (worst) | without | a plugin | of processor time | memory (PSS) | without | a plugin "
        "| of it no file |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    times, memories = Chart("What a small plugin adds to a start", "ms", [], "less"), Chart("What an idle plugin takes (PSS)", "KiB", [], "less")
    for original, form, what in KINDS:
        for count in COUNTS:
            with tempfile.TemporaryDirectory(prefix="tenon-bench-many-") as folder:
                source = folder_of(arguments.build, original)
                found = compare(arguments, [copy_plugin(source, folder, id=form.format(number)) for number in range(1, count + 1)])
            alone, crowded = map(middle, found)
            each, each_used, each_memory, each_anonymous = [(with_them - without) / count for without, with_them in zip(alone, crowded, strict=True)]
            lines.append(f"| {what} | {count:,} | {crowded[0]:,.0f} ms ({max(sample[0] for sample in found[1]):,.0f} ms) | {alone[0]:.0f} ms "
                         f"| **{each:.2f} ms** | {each_used:.2f} ms | {crowded[2] / 1024:,.0f} MiB | {alone[2] / 1024:.1f} MiB "
                         f"| **{each_memory:.0f} KiB** | {each_anonymous:.0f} KiB |")
            print(f"  {count:,} × {what}: {each:.2f} ms, {each_used:.2f} ms of processor time and {each_memory:.0f} KiB each", flush=True)
            name = f"Tenon, {count:,} in {'C' if original == 'crossing' else 'C++'}"
            times.bars.append((name, each))
            memories.bars.append((name, each_memory))
    lines += [
        "",
        "Each is a library of its own, which differs from the others in its id: they share the C and C++ libraries with the host, and nothing else. "
        "Their data are there already. A file that other processes have mapped, too, counts in parts, so a server without plugins "
        "takes less when more servers run at the same time.",
    ]
    return Section(lines, [times, memories])


def compare(arguments, copies):
    """The figures of servers without and with the plugins, in turn."""
    found = [], []
    with Tenon(arguments.build, plugins=()) as alone, Tenon(arguments.build, plugins=copies) as crowded:
        # Entering has made their data.
        alone.stop()
        crowded.stop()
        for _ in range(arguments.rounds):
            for server, samples in zip((alone, crowded), found, strict=True):
                samples.append(figures(server))
    return found
