"""nginx, the peer of the front."""

import pathlib
import shutil
import subprocess
import tempfile

from .processes import cpu_seconds_of, free_port, wait_for


class Nginx:
    """One worker that answers 1 KB from its configuration."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="tenon-bench-nginx-")
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        configuration = pathlib.Path(self.folder, "nginx.conf")
        configuration.write_text(
            "daemon off; worker_processes 1; worker_rlimit_nofile 8192; error_log stderr crit; pid nginx.pid;\n"
            "events { worker_connections 4096; }\n"
            "http { access_log off; keepalive_requests 100000000; default_type text/plain;\n"
            f"  server {{ listen 127.0.0.1:{port} backlog=4096; location / {{ return 200 \"{'x' * 1024}\"; }} }} }}\n",
            encoding="ascii",
        )
        self.process = subprocess.Popen(["nginx", "-p", self.folder, "-c", str(configuration)], stdin=subprocess.DEVNULL)
        wait_for(port)
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text(encoding="ascii")
        self.worker = int(children.split()[0])
        return self

    def cpu_seconds(self):
        return cpu_seconds_of(self.worker)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
