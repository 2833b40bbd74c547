#!/usr/bin/env python3
"""Lists and restores an archive of Chagres that lies in a directory; written from docs/FORMAT.md, shares no code.
    read_archive.py ARCHIVE list                what has a name, its size, time and state
    read_archive.py ARCHIVE restore DIR         files into DIR/HOST, which must not exist
    read_archive.py ARCHIVE restore DIR --all   and every version that has no name into DIR/.gone/HOST
Needs Python 3.8 and the package zstandard. The package crc32c makes checksums fast.
"""
import bisect, functools, hashlib, os, struct, sys, time, zlib
from pathlib import Path
from types import SimpleNamespace
import zstandard
try:
    from crc32c import crc32c
except ImportError:
    TABLE = list(range(256))
    for _ in range(8):
        TABLE = [value >> 1 ^ (0x82F63B78 if value & 1 else 0) for value in TABLE]
    def crc32c(data):
        crc = 0xFFFFFFFF
        for byte in data:
            crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
        return crc ^ 0xFFFFFFFF

PIECE = 256 << 10
FILE, DIRECTORY, LINK = range(3)
STATES = ("sealed", "truncated", "rewritten", "gone")
UNKNOWN = (0o755, 0, 0, -1 << 63)  # attributes of a directory that no record describes: without owner and time
# kind: fields; u uint, i int, 1 u8, 4 i32, 8 i64, b bytes, a attributes, c a checksum for each 256 KiB of field 2
RECORDS = {1: "bbbbbubi", 2: "1", 3: "b1uba", 4: "b1", 5: "bb", 6: "u88uuuuba", 7: "u1", 8: "uba", 9: "uub", 10: "uiib",
           11: "ui", 12: "uuii", 15: "uib", 16: "uuuuu4i", 17: "uuu8u1ci", 18: "uuui", 19: "uuuuu4i", 20: "uuu8uu4i",
           22: "bb", 23: "u8b", 24: "uu"}

def require(condition, message):
    if not condition:
        raise ValueError(message)

def decompress(data, size, gzip=False):
    plain = (zlib.decompressobj(31).decompress(data, size + 1) if gzip
             else zstandard.ZstdDecompressor().decompress(data, max_output_size=max(1, size)))
    require(len(plain) == size, "a frame does not hold what is said of it")
    return plain

def whole(data, path):
    require(crc32c(data[:-4]) == int.from_bytes(data[-4:], "little"), f"{path} is damaged")
    return data

def records(data):  # decodes records one by one: yields the kind and a list of the fields
    at = 0

    def take(size):
        nonlocal at
        at += size
        require(at <= len(data), "a record is cut off")
        return data[at - size:at]
    def uint():
        value = 0
        for shift in range(0, 70, 7):
            value |= ((byte := take(1)[0]) & 127) << shift
            if byte < 128:
                return value
        raise ValueError("a number is too long")
    def signed():
        return (value := uint()) >> 1 ^ -(value & 1)
    read = {"u": uint, "i": signed, "1": lambda: take(1)[0], "b": lambda: bytes(take(uint())),
            "4": lambda: struct.unpack("<I", take(4))[0], "8": lambda: struct.unpack("<Q", take(8))[0],
            "a": lambda: (uint(), uint(), uint(), signed())}
    while at < len(data):
        kind, fields = take(1)[0], []
        for code in RECORDS[kind]:
            fields.append(read[code]() if code != "c" else [read["4"]() for _ in range(-(-fields[2] // PIECE))])
        yield kind, fields

class Frames:
    """The content of an object that ends with a seek table; frames are decompressed when they are read."""
    def __init__(self, path):
        self.data, self.frames, self.cached, self.size = path.read_bytes(), [], (-1, b""), 0
        require(not self.data.startswith(b"age-"), f"{path} is encrypted: age -d opens it, this program does not")
        self.gzip = path.suffix == ".gz"  # there the table is in a member that holds nothing
        end = len(self.data) - 10 * self.gzip
        count, descriptor, magic = struct.unpack_from("<IBI", self.data, end - 9)
        require(magic == 0x8F92EAB1 and descriptor == 0, f"{path} does not end with a seek table")
        table = end - 17 - 8 * count
        sizes = [struct.unpack_from("<II", self.data, table + 8 + 8 * i) for i in range(count)]
        stored = table - 16 * self.gzip - sum(size for size, _ in sizes)
        for size, plain in sizes:
            self.frames.append((self.size, plain, stored, size))
            stored, self.size = stored + size, self.size + plain

    def read(self, offset, length):
        require(offset + length <= self.size, "an object holds fewer bytes than its record says")
        at, found = bisect.bisect_left(self.frames, (offset + 1,)) - 1, bytearray()
        while len(found) < length:
            start, plain, stored, size = self.frames[at]
            if self.cached[0] != at:
                self.cached = at, decompress(self.data[stored:stored + size], plain, self.gzip)
            within = offset + len(found) - start
            found += self.cached[1][within:within + length - len(found)]
            at += 1
        return bytes(found)

def new_name(kind, attributes, version=None, target=b""):
    return SimpleNamespace(kind=kind, attributes=attributes, version=version, target=target, below={})

def walk(name, path=b"/"):  # yields a name and all below it, a directory before what is in it
    yield path, name
    for part, below in sorted(name.below.items()):
        yield from walk(below, path.rstrip(b"/") + b"/" + part)

class Host:
    """Names, versions and extents of one host, as they are after its last commit."""
    def __init__(self, folder):
        self.folder, self.object, self.versions = folder, (None, None), {}
        self.root, self.seq, self.chain = new_name(DIRECTORY, UNKNOWN), 0, bytes(32)
        self.name = dict(line.split("=", 1) for line in (folder / "host").read_text().splitlines())["name"]
        checkpoints = {tuple(map(int, (path.stem + "-0").split("-")[:2])): path  # a revision is 0 where none is said
                       for path in folder.glob("checkpoints/*[0-9].zst")}
        marks = folder.parent.parent / "compacted" / folder.name
        marked = {tuple(map(int, path.name.split("-"))) for path in marks.glob("[0-9]*-[0-9]*") if len(path.name) == 33}
        marked &= set(checkpoints)  # the longer marks are of histories
        first = min((int(path.stem) for path in folder.glob("log/*[0-9].zst")), default=1 << 63)
        counting = marked or {each for each in checkpoints if each[0] < first}
        if counting:  # the greatest seq, of it the greatest revision
            self.checkpoint(checkpoints[max(counting)])
        while (folder / f"log/{self.seq + 1:016}.zst").exists():
            self.commit(folder / f"log/{self.seq + 1:016}.zst")

    def commit(self, path):
        data = path.read_bytes()
        magic, size = struct.unpack_from("<II", data)
        payload = whole(data[8:8 + size], path)
        known, seq, ms, chain, count, length, stored, _, rest = struct.unpack_from("<QQq32x32s5I", payload)
        require(magic == 0x184D2A5C and known == 0x0000_0002_43474843, f"{path} is no commit of this format")
        require((seq, chain, size + 8 + rest) == (self.seq + 1, self.chain, len(data)), f"{path} does not follow")
        require(payload[116] == 0, f"{path} is encrypted, which this program does not read")
        found = list(records(decompress(payload[128:128 + stored], length)))
        require(len(found) == count, f"{path} has another number of records")
        self.apply(found, ms, seq)
        self.seq, self.chain = seq, hashlib.sha256(payload).digest()

    def checkpoint(self, path):
        frames = Frames(path)
        content, at = frames.read(0, frames.size), 128
        while size := struct.unpack_from("<I", content, at)[0]:
            at += 4 + size
        content = whole(content[:at + 16], path)  # the index behind it is for those who want a part
        known, self.seq, ms, self.chain = struct.unpack_from("<QQq32x32s", content)
        require(known == 0x0001_0002_43474843, f"{path} is no checkpoint of this format")
        at, size = 132, struct.unpack_from("<I", content, 128)[0]
        while size:
            self.apply(records(content[at:at + size]), ms, 0)
            at, size = at + size + 4, struct.unpack_from("<I", content, at + size)[0]

    def apply(self, found, ms, seq):
        for kind, f in found:
            if kind == 3:
                self.add(f[0], new_name(f[1], f[4], self.versions[f[2]] if f[1] == FILE else None, f[3]))
            elif kind in (4, 5):
                self.remove(f[0]) if kind == 4 else self.move(*f)
            elif kind == 6:
                self.versions[f[0]] = SimpleNamespace(number=f[0], start=f[6], end=f[6], path=f[7], attributes=f[8],
                                                      changed_ms=ms, state="growing", extents=[], names=0)
            elif kind == 7:
                vars(self.versions[f[0]]).update(state=STATES[f[1]], changed_ms=ms)
            elif kind == 8 and f[0]:
                vars(self.versions[f[0]]).update(attributes=f[2], changed_ms=ms)
            elif kind == 8 and self.find(f[1]):
                self.find(f[1]).attributes = f[2]
            elif kind == 10:
                vars(self.versions[f[0]]).update(changed_ms=f[2], path=f[3] or self.versions[f[0]].path)
            elif 16 <= kind <= 20:
                self.extend(kind, f, ms, seq)

    # Notes an extent: how its bytes are stored, where, the offset there, and the checksums.
    def extend(self, kind, f, ms, seq):
        version, start, length = self.versions[f[0]], f[1], f[2]
        require(start == version.end and length > 0, f"version {version.number} does not go on where it ended")
        key = f"streams/{version.number:016x}/{start:016}-{start + length:016}-{f[3]:016x}"
        where = (kind == 16 and ("frames", f"log/{f[3] or seq:016}.zst", f[4], [f[5]])
                 or kind == 17 and ("frames" if f[5] else "bare", key + ("", ".zst", ".gz")[f[5]], 0, f[6])
                 or kind == 18 and ("zeros",) or kind == 19 and ("copy", f[3], f[4], [f[5]])
                 or ("frames", f"streams/{0:016x}/{0:016}-{f[4]:016}-{f[3]:016x}.zst", f[5], [f[6]]))
        version.extents.append((start, length, where))
        version.end, version.changed_ms, version.attributes = start + length, ms, version.attributes[:3] + (f[-1],)
        version.state = "growing" if version.state == "sealed" else version.state

    def find(self, path):
        parts = filter(None, path.split(b"/"))
        return functools.reduce(lambda at, part: at and at.below.get(part), parts, self.root)

    def put(self, path, name):  # gives a name its place; missing directories are made, what is no directory replaced
        parts, at, done = path.split(b"/"), self.root, b""
        require(parts[0] == b"" and not {b"", b".", b".."} & set(parts[1:]), f"{path} cannot be a name")
        for part in parts[1:-1]:
            done += b"/" + part
            if part in at.below and at.below[part].kind != DIRECTORY:
                self.remove(done)
            at = at.below.setdefault(part, new_name(DIRECTORY, UNKNOWN))
        at.below[parts[-1]] = name

    def add(self, path, name):
        old = self.find(path)
        if old and old.kind == name.kind == DIRECTORY:
            old.attributes = name.attributes
        elif old is not self.root:
            self.remove(path)
            self.put(path, name)
            if name.version:
                name.version.names += 1

    def remove(self, path):
        name = self.find(path)
        if name and name is not self.root:
            for each, below in reversed(list(walk(name, path))):
                if below.version:
                    below.version.names, below.version.path = below.version.names - 1, each
            del self.find(os.path.dirname(path)).below[os.path.basename(path)]

    def move(self, source, target):
        name, one, other = self.find(source), source.rstrip(b"/") + b"/", target.rstrip(b"/") + b"/"
        if not one.startswith(other) and not other.startswith(one):
            self.remove(target)
            if name:
                del self.find(os.path.dirname(source)).below[os.path.basename(source)]
                self.put(target, name)

    # Yields positions and bytes of a version; each piece that has a checksum is read whole.
    def read(self, version, start, length):
        for first, size, where in version.extents:
            begin, end = max(start, first), min(start + length, first + size)
            while begin < end:
                index = (begin - first) // PIECE
                at = first + index * PIECE
                data = self.piece(where, index, min(PIECE, first + size - at))
                yield begin, data[begin - at:end - at]
                begin = at + len(data)

    def piece(self, where, index, length):
        if where[0] == "zeros":
            return bytes(length)
        if where[0] == "copy":
            data = b"".join(data for _, data in self.read(self.versions[where[1]], where[2], length))
        elif where[0] == "bare":
            with open(self.folder / where[1], "rb") as file:
                data = os.pread(file.fileno(), length, index * PIECE)
        else:
            if self.object[0] != where[1]:
                self.object = where[1], Frames(self.folder / where[1])
            data = self.object[1].read(where[2] + index * PIECE, length)
        require(len(data) == length and crc32c(data) == where[3][index], f"wrong checksum in {where[1]}")
        return data

    # Returns where each version without a name goes: the newest that is gone has its last name, others are beside it.
    def asides(self):
        nameless = sorted((each for each in self.versions.values() if not each.names),
                          key=lambda each: (each.changed_ms, each.number))
        above, newest = {b"/"}, {}
        for version in nameless:
            path = version.path = version.path if self.is_path(version.path) else b"/version"
            while (path := os.path.dirname(path)) not in above:
                above.add(path)
            found = self.find(version.path)
            if not (found and found.version) or version.state not in ("truncated", "rewritten"):
                newest[version.path] = version
        for version in nameless:
            directory, name = os.path.split(version.path)
            tail = time.strftime("~%Y%m%dT%H%M%SZ", time.gmtime(version.changed_ms // 1000))
            tail = f"{tail}~{version.number:016x}".encode()
            own = newest.get(version.path) is version and version.path not in above and len(name) < 256
            yield version, version.path if own else os.path.join(directory, name[:255 - len(tail)] + tail)

    @staticmethod
    def is_path(path):
        return path[:1] == b"/" and not {b"", b".", b".."} & set(path[1:].split(b"/"))

    def gone(self, path):  # attributes of a directory; if it is gone of the nearest that stands, for the owner alone
        name, mask = self.find(path), -1
        while not name or name.kind != DIRECTORY:
            path, mask = os.path.dirname(path), ~0o077
            name = self.find(path)
        return (name.attributes[0] & mask, *name.attributes[1:])

    def restore(self, folder):
        names = dict(walk(self.root))
        places = {}
        for path, name in names.items():
            if name.version:
                places.setdefault(name.version.number, []).append(path)
        self.write(folder, places, {path: name for path, name in names.items() if name.kind != FILE})

    def restore_gone(self, folder):
        self.write(folder, {version.number: [path] for version, path in self.asides()}, {})

    def write(self, folder, places, others):  # makes one tree: places of versions, directories and links
        directories = {path: name.attributes for path, name in others.items() if name.kind == DIRECTORY}
        directories.setdefault(b"/", self.root.attributes)
        for paths in places.values():
            above = os.path.dirname(paths[0])
            while above not in directories:
                directories[above], above = self.gone(above), os.path.dirname(above)
        for path in sorted(directories):
            os.makedirs(folder + path)
        for number, paths in places.items():
            version = self.versions[number]
            with open(folder + paths[0], "xb") as file:
                for position, data in self.read(version, version.start, version.end - version.start):
                    if data.count(0) < len(data):  # zeros become a hole
                        file.seek(position - version.start)
                        file.write(data)
                file.truncate(version.end - version.start)
            self.finish(folder + paths[0], *version.attributes)
            for path in paths[1:]:
                os.link(folder + paths[0], folder + path)
        for path, name in others.items():
            if name.kind == LINK:
                os.symlink(name.target, folder + path)
                self.finish(folder + path, *name.attributes)
        for path in sorted(directories, reverse=True):
            self.finish(folder + path, *directories[path])

    @staticmethod
    def finish(place, mode, uid, gid, mtime):
        known = mtime != UNKNOWN[3]
        known and os.geteuid() == 0 and os.chown(place, uid, gid, follow_symlinks=False)
        os.path.islink(place) or os.chmod(place, mode & 0o777)
        known and os.utime(place, ns=(mtime, mtime), follow_symlinks=False)

def main(archive, command, folder="", option=""):
    require(Path(archive, "hosts").is_dir(), "this is no archive")
    hosts = [Host(each) for each in sorted(Path(archive, "hosts").iterdir())]
    for host in hosts:
        alone = [each.name for each in hosts].count(host.name) == 1
        place = host.name if alone else f"{host.name}~{host.folder.name}"
        if command == "restore" and host.root.below:
            host.restore(os.fsencode(Path(folder, place)))
        if command == "restore" and option == "--all" and any(not each.names for each in host.versions.values()):
            host.restore_gone(os.fsencode(Path(folder, ".gone", place)))
        for path, name in walk(host.root) if command == "list" else ():
            if name.version:
                at = time.strftime("%FT%TZ", time.gmtime(name.version.attributes[3] // 10**9))
                print(f"{host.name}:{os.fsdecode(path)}", name.version.end, at, name.version.state, sep="\t")

if __name__ == "__main__":
    if sys.argv[2:3] not in (["list"], ["restore"]) or (sys.argv[2] == "restore") != (len(sys.argv) > 3):
        sys.exit(__doc__)
    main(*sys.argv[1:5])
