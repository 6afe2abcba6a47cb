"""Models a disk after a loss of power, from recorded changes: it holds all that was synced, and any part of the rest."""

from disk import CREATE, RENAME, SYNC, SYNC_FAILED, TRUNCATE, UNLINK, WRITE

SECTOR = 512


class File:
    """Bytes that are on disk for certain, and changes since, each of which may be there or not."""

    def __init__(self):
        self.durable, self.pending = bytearray(), []

    def after(self, keep):
        """The content when of each change, or of each sector of a write, that is there for which keep() says so."""
        content = bytearray(self.durable)
        for at, data in self.pending:
            if data is None:
                if keep():
                    resize(content, at)
                continue
            start = at
            while start < at + len(data):
                end = min(start - start % SECTOR + SECTOR, at + len(data))
                if keep():
                    if len(content) < end:
                        resize(content, end)
                    content[start:end] = data[start - at:end - at]
                start = end
        return content

    def sync(self):
        self.durable, self.pending = self.after(lambda: True), []


def resize(content, size):
    if size < len(content):
        del content[size:]
    else:
        content.extend(bytes(size - len(content)))


class DiskModel:
    """One folder. A name that was made, changed or taken away is certain once the folder itself was synced."""

    def __init__(self, chance):
        self.chance = chance
        self.open = {}        # inode → File, as the running process sees it
        self.names = {}       # name → File, as the running process sees it
        self.durable = {}     # name → File
        self.pending = []     # names as they were after each change since

    def apply(self, kind, name, inode, at, data):
        if kind == CREATE:
            self.names[name] = self.open[inode] = File()
            self.pending.append(dict(self.names))
        elif kind == UNLINK:
            self.names.pop(name, None)  # a socket was never written
            self.pending.append(dict(self.names))
        elif kind == RENAME:
            self.names[data.decode()] = self.names.pop(name)
            self.pending.append(dict(self.names))
        elif name == ".":
            if kind == SYNC:
                self.durable, self.pending = dict(self.names), []
        elif kind == SYNC and inode not in self.open:
            # A folder in it: whatever else is lost, its names are as they are now.
            def synced(names):
                inside = name + "/"
                return {**{each: file for each, file in names.items() if not each.startswith(inside)},
                        **{each: file for each, file in self.names.items() if each.startswith(inside)}}
            self.durable, self.pending = synced(self.durable), [synced(names) for names in self.pending]
        elif kind == WRITE:
            self.open[inode].pending.append((at, data))
        elif kind == TRUNCATE:
            self.open[inode].pending.append((at, None))
        elif kind == SYNC:
            self.open[inode].sync()
        elif kind == SYNC_FAILED:
            # Some of it is there; the kernel calls the rest clean, and no later sync writes it.
            file = self.open[inode]
            file.durable, file.pending = file.after(lambda: self.chance.random() < 0.5), []
        else:
            raise ValueError(f"kind {kind} of {name}")

    def lose_power(self, folder):
        """Lays into a folder what may be found afterwards."""
        names = self.chance.choice([self.durable, *self.pending])
        share = self.chance.choice((0.0, 0.1, 0.5, 0.9, 1.0))
        for name, file in names.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.after(lambda: self.chance.random() < share))
