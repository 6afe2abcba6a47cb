#include "engines/tests/sqlite/faulty_disk.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include <signal.h>
#include <sqlite3.h>
#include <unistd.h>

namespace tenon::data::test {

namespace {

std::atomic<FaultyDisk*> installed_disk{nullptr};
sqlite3_vfs* real = nullptr;
sqlite3_vfs shim;

struct File {
  sqlite3_file base;
  sqlite3_file* inner;  ///< in the memory after this object
  int refused;          ///< the errno of a read
};

sqlite3_file* inner(sqlite3_file* file) {
  return reinterpret_cast<File*>(file)->inner;
}

void count() {
  FaultyDisk* now = installed_disk.load();
  if (now && ++now->writes == now->dies_at) ::kill(::getpid(), SIGKILL);
}

int close(sqlite3_file* file) {
  return inner(file)->pMethods->xClose(inner(file));
}
int read(sqlite3_file* file, void* to, int size, sqlite3_int64 at) {
  if (FaultyDisk* now = installed_disk.load(); now && at >= now->fails_reads_from) {
    reinterpret_cast<File*>(file)->refused = EIO;
    ++now->refused_reads;
    return SQLITE_IOERR_CORRUPTFS;
  }
  return inner(file)->pMethods->xRead(inner(file), to, size, at);
}
int write(sqlite3_file* file, const void* from, int size, sqlite3_int64 at) {
  count();
  if (FaultyDisk* now = installed_disk.load()) {
    sqlite3_int64 length = 0;
    inner(file)->pMethods->xFileSize(inner(file), &length);
    if (now->fails_writes) return SQLITE_IOERR_WRITE;
    if (now->is_full && at + size > length) return SQLITE_FULL;
  }
  return inner(file)->pMethods->xWrite(inner(file), from, size, at);
}
int truncate(sqlite3_file* file, sqlite3_int64 size) {
  return inner(file)->pMethods->xTruncate(inner(file), size);
}
int sync(sqlite3_file* file, int flags) {
  count();
  if (FaultyDisk* now = installed_disk.load(); now && now->fails_syncs) return SQLITE_IOERR_FSYNC;
  return inner(file)->pMethods->xSync(inner(file), flags);
}
int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return inner(file)->pMethods->xFileSize(inner(file), size);
}
int lock(sqlite3_file* file, int level) {
  return inner(file)->pMethods->xLock(inner(file), level);
}
int unlock(sqlite3_file* file, int level) {
  return inner(file)->pMethods->xUnlock(inner(file), level);
}
int check_lock(sqlite3_file* file, int* result) {
  return inner(file)->pMethods->xCheckReservedLock(inner(file), result);
}
int control(sqlite3_file* file, int what, void* argument) {
  if (const int refused = reinterpret_cast<File*>(file)->refused;
      refused != 0 && what == SQLITE_FCNTL_LAST_ERRNO) {
    *static_cast<int*>(argument) = refused;
    return SQLITE_OK;
  }
  return inner(file)->pMethods->xFileControl(inner(file), what, argument);
}
int sector_size(sqlite3_file* file) {
  return inner(file)->pMethods->xSectorSize(inner(file));
}
int characteristics(sqlite3_file* file) {
  return inner(file)->pMethods->xDeviceCharacteristics(inner(file));
}
int shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** to) {
  return inner(file)->pMethods->xShmMap(inner(file), page, size, extend, to);
}
int shm_lock(sqlite3_file* file, int at, int count_of, int flags) {
  return inner(file)->pMethods->xShmLock(inner(file), at, count_of, flags);
}
void shm_barrier(sqlite3_file* file) {
  inner(file)->pMethods->xShmBarrier(inner(file));
}
int shm_unmap(sqlite3_file* file, int deletes) {
  return inner(file)->pMethods->xShmUnmap(inner(file), deletes);
}

// No page is mapped.
int fetch(sqlite3_file*, sqlite3_int64 /*at*/, int /*size*/, void** to) {
  *to = nullptr;
  return SQLITE_OK;
}
// sqlite3WalCheckpoint() calls it when another connection has changed the header of the WAL index.
int unfetch(sqlite3_file*, sqlite3_int64 /*at*/, void* /*from*/) {
  FaultyDisk* now = installed_disk.load();
  if (!now) return SQLITE_OK;
  if (const auto call = std::exchange(now->at_checkpoint, nullptr)) call();
  return SQLITE_OK;
}

const sqlite3_io_methods methods = {
    3,         close,      read,    write,       truncate,        sync,    file_size, lock,
    unlock,    check_lock, control, sector_size, characteristics, shm_map, shm_lock,  shm_barrier,
    shm_unmap, fetch,      unfetch};

int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  auto* own = reinterpret_cast<File*>(file);
  own->refused = 0;
  own->inner = reinterpret_cast<sqlite3_file*>(own + 1);
  const int code = real->xOpen(real, name, own->inner, flags, out_flags);
  own->base.pMethods = own->inner->pMethods ? &methods : nullptr;
  return code;
}

}  // namespace

FaultyDisk::FaultyDisk() {
  real = sqlite3_vfs_find("unix");
  shim = *real;
  shim.zName = "faulty";
  shim.szOsFile = static_cast<int>(sizeof(File)) + real->szOsFile;
  shim.xOpen = open;
  shim.pNext = nullptr;
  installed_disk = this;
  sqlite3_vfs_register(&shim, 1);
}

FaultyDisk::~FaultyDisk() {
  sqlite3_vfs_unregister(&shim);
  sqlite3_vfs_register(real, 1);
  installed_disk = nullptr;
}

}  // namespace tenon::data::test
