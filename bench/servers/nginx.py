"""nginx, the peer of the HTTP server."""

import os
import pathlib
import shutil
import subprocess
import tempfile

from .processes import cpu_seconds_of, free_port, wait_for


class Nginx:
    """Returns 1 KB from its configuration at /, with `files` also that folder at /files/ and, its descriptors cached, at /cached/."""

    def __init__(self, workers=1, files=None):
        self.workers = workers
        self.files = files

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="tenon-bench-nginx-")
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        configuration = pathlib.Path(self.folder, "nginx.conf")
        files = ""
        if self.files:
            files = (f"location /files/ {{ alias {self.files}/; }} "
                     f"location /cached/ {{ alias {self.files}/; open_file_cache max=100; open_file_cache_valid 1h; }}")
        # Started by root, its workers run as a user that cannot read a temporary folder.
        user = "user root;" if os.geteuid() == 0 else ""
        configuration.write_text(
            f"{user} daemon off; worker_processes {self.workers}; worker_rlimit_nofile 8192; error_log stderr crit; pid nginx.pid;\n"
            "events { worker_connections 4096; }\n"
            "http { access_log off; keepalive_requests 100000000; default_type text/plain; sendfile on; tcp_nopush on;\n"
            f"  server {{ listen 127.0.0.1:{port} backlog=4096; {files}\n"
            f"    location / {{ return 200 \"{'x' * 1024}\"; }} }} }}\n",
            encoding="ascii",
        )
        self.process = subprocess.Popen(["nginx", "-p", self.folder, "-c", str(configuration)], stdin=subprocess.DEVNULL)
        wait_for(port)
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text(encoding="ascii")
        self.children = [int(child) for child in children.split()]
        return self

    def cpu_seconds(self):
        return sum(cpu_seconds_of(child) for child in self.children)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
