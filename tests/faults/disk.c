/* A disk that records and fails on demand, preloaded under the real server: it sees each call that
 * changes files below one folder, one after the other.
 *
 *   FAULTY_DISK_FOLDER   the folder, absolute
 *   FAULTY_DISK_CONTROL  a file of one struct control, which the test writes
 *   FAULTY_DISK_RECORD   a file to which each change is appended; without it nothing is recorded
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
  WRITE = 1,
  SYNC = 2,
  TRUNCATE = 4,
  CREATE = 8,
  UNLINK = 16,
  RENAME = 32,
  SYNC_FAILED = 64,
  READ = 128,
  READ_ONLY = 256 /* every write, as on a file system that is remounted read only */
};

enum { DIE = -1 }; /* instead of an error: the process is killed before the call */

/* Calls that fail: those of these kinds on the file of that name (none: on any), after `skip` of
 * them, `times` times. */
struct control {
  int32_t kinds;
  int32_t skip;
  int32_t times;
  int32_t error;
  int32_t seen; /* calls of these kinds on that file */
  int32_t failed;
  char name[104];
};

struct head {
  uint32_t kind;
  uint32_t path_bytes;
  uint64_t inode;
  int64_t at;
  int64_t bytes;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char* folder;
static size_t folder_bytes;
static struct control* control;
static int record = -1;

#define REAL(result, name, ...)              \
  static result (*real_##name)(__VA_ARGS__); \
  if (!real_##name) *(void**)&real_##name = dlsym(RTLD_NEXT, #name)

static int raw_open(const char* path, int flags) {
  REAL(int, open, const char*, int, ...);
  return real_open(path, flags, 0600);
}

__attribute__((constructor)) static void begin(void) {
  folder = getenv("FAULTY_DISK_FOLDER");
  if (!folder) return;
  folder_bytes = strlen(folder);
  const char* path = getenv("FAULTY_DISK_CONTROL");
  const int file = path ? raw_open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file >= 0) {
    void* mapped = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) control = mapped;
    close(file);
  }
  path = getenv("FAULTY_DISK_RECORD");
  if (path) record = raw_open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC);
}

static int is_read_only(void) {
  return control && (control->kinds & READ_ONLY);
}

/* Returns the part of a watched path after the folder, else NULL. Shared memory of WALs and copies
 * of libraries are watched only if everything is read only. */
static const char* watched(const char* path) {
  if (!folder || strncmp(path, folder, folder_bytes) != 0) return NULL;
  const char* inner = path + folder_bytes;
  if (*inner == '\0') return ".";
  if (*inner != '/') return NULL;
  if (is_read_only()) return inner + 1;
  if (strncmp(inner, "/run/", 5) == 0) return NULL;
  ++inner;
  const size_t bytes = strlen(inner);
  return bytes > 4 && strcmp(inner + bytes - 4, "-shm") == 0 ? NULL : inner;
}

static const char* name_of(int file, char path[PATH_MAX]) {
  char link[40];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
  const ssize_t got = folder ? readlink(link, path, PATH_MAX - 1) : -1;
  if (got <= 0) return NULL;
  path[got] = '\0';
  char* gone = strstr(path, " (deleted)");
  if (gone) *gone = '\0';
  return watched(path);
}

static void note(uint32_t kind, const char* name, uint64_t inode, int64_t at, const void* data,
                 int64_t bytes) {
  if (record < 0) return;
  const struct head head = {kind, (uint32_t)strlen(name), inode, at, bytes};
  struct iovec parts[3] = {{(void*)&head, sizeof(head)},
                           {(void*)name, head.path_bytes},
                           {(void*)data, data ? (size_t)bytes : 0}};
  if (writev(record, parts, 3) < 0) abort();
}

static uint64_t inode_of(int file) {
  struct stat facts;
  return fstat(file, &facts) == 0 ? facts.st_ino : 0;
}

/* Returns true and sets errno if this call must fail. The caller holds the mutex. */
static int fails(int kind, const char* name) {
  if (!control) return 0;
  if (is_read_only() ? (kind & (READ | SYNC)) != 0 : !(control->kinds & kind)) return 0;
  if (control->name[0] && strcmp(control->name, name) != 0) return 0;
  ++control->seen;
  if (control->skip > 0) {
    --control->skip;
    return 0;
  }
  if (control->times == 0) return 0;
  if (control->times > 0) --control->times;
  ++control->failed;
  /* Here, so that the record ends with a whole change. */
  if (control->error == DIE) kill(getpid(), SIGKILL);
  errno = control->error;
  return 1;
}

/* By descriptor: the inode of a file whose sync failed on another descriptor, else 0. Linux reports
 * such a failure once on each descriptor that was open then (errseq_t). */
static uint64_t failed_inode[4096];

/* The caller holds the mutex. */
static void fail_other_descriptors(int file) {
  const uint64_t inode = inode_of(file);
  DIR* list = opendir("/proc/self/fd");
  if (!list) abort();
  for (const struct dirent* entry; (entry = readdir(list));) {
    const int other = atoi(entry->d_name);
    if (other != file && other < 4096 && inode_of(other) == inode)
      __atomic_store_n(&failed_inode[other], inode, __ATOMIC_RELAXED);
  }
  closedir(list);
}

/* Returns true and sets errno if the sync fails. The caller holds the mutex. */
static int sync_fails(int file, const char* name) {
  if (fails(SYNC, name)) {
    fail_other_descriptors(file);
    errno = control->error;
    return 1;
  }
  const uint64_t inode =
      file < 4096 ? __atomic_exchange_n(&failed_inode[file], 0, __ATOMIC_RELAXED) : 0;
  if (inode == 0 || inode != inode_of(file)) return 0;
  errno = EIO;
  return 1;
}

#define BEGIN_WITH(fault, file)           \
  char path[PATH_MAX];                    \
  const char* name = name_of(file, path); \
  if (!name) return REAL_CALL;            \
  pthread_mutex_lock(&mutex);             \
  int failed = 0;                         \
  if (fault) failed = -1
#define BEGIN(kind, file) BEGIN_WITH(fails(kind, name), file)
#define END(result)             \
  const int reason = errno;     \
  pthread_mutex_unlock(&mutex); \
  errno = reason;               \
  return result

static ssize_t put(ssize_t (*real)(int, const void*, size_t, off64_t), int file, const void* data,
                   size_t bytes, off64_t at) {
#define REAL_CALL real(file, data, bytes, at)
  BEGIN(WRITE, file);
  const ssize_t done = failed ? -1 : REAL_CALL;
  if (done > 0) note(WRITE, name, inode_of(file), at, data, done);
  END(done);
#undef REAL_CALL
}

ssize_t pwrite64(int file, const void* data, size_t bytes, off64_t at) {
  REAL(ssize_t, pwrite64, int, const void*, size_t, off64_t);
  return put(real_pwrite64, file, data, bytes, at);
}

ssize_t pwrite(int file, const void* data, size_t bytes, off_t at) {
  return pwrite64(file, data, bytes, at);
}

ssize_t write(int file, const void* data, size_t bytes) {
  REAL(ssize_t, write, int, const void*, size_t);
#define REAL_CALL real_write(file, data, bytes)
  BEGIN(WRITE, file);
  const off_t at = lseek(file, 0, SEEK_CUR);
  const ssize_t done = failed ? -1 : REAL_CALL;
  if (done > 0) note(WRITE, name, inode_of(file), at, data, done);
  END(done);
#undef REAL_CALL
}

ssize_t pread64(int file, void* data, size_t bytes, off64_t at) {
  REAL(ssize_t, pread64, int, void*, size_t, off64_t);
#define REAL_CALL real_pread64(file, data, bytes, at)
  if (!control || !(control->kinds & READ)) return REAL_CALL;
  BEGIN(READ, file);
  const ssize_t done = failed ? -1 : REAL_CALL;
  END(done);
#undef REAL_CALL
}

ssize_t pread(int file, void* data, size_t bytes, off_t at) {
  return pread64(file, data, bytes, at);
}

int ftruncate64(int file, off64_t size) {
  REAL(int, ftruncate64, int, off64_t);
#define REAL_CALL real_ftruncate64(file, size)
  BEGIN(TRUNCATE, file);
  if (!failed) failed = REAL_CALL;
  if (!failed) note(TRUNCATE, name, inode_of(file), size, NULL, 0);
  END(failed);
#undef REAL_CALL
}

int ftruncate(int file, off_t size) {
  return ftruncate64(file, size);
}

static int sync_file(int (*real)(int), int file) {
#define REAL_CALL real(file)
  BEGIN_WITH(sync_fails(file, name), file);
  if (!failed) failed = REAL_CALL;
  note(failed ? SYNC_FAILED : SYNC, name, inode_of(file), 0, NULL, 0);
  END(failed);
#undef REAL_CALL
}

int fsync(int file) {
  REAL(int, fsync, int);
  return sync_file(real_fsync, file);
}

int fdatasync(int file) {
  REAL(int, fdatasync, int);
  return sync_file(real_fdatasync, file);
}

/* Without the mutex, which another thread may hold while this process forks. */
int close(int file) {
  REAL(int, close, int);
  if (file >= 0 && file < 4096) __atomic_store_n(&failed_inode[file], 0, __ATOMIC_RELAXED);
  return real_close(file);
}

/* Only absolute paths are watched: the server is given one. */
static int open_file(int (*real)(const char*, int, ...), const char* path, int flags, mode_t mode) {
  const int writes = is_read_only() && (flags & O_ACCMODE) != O_RDONLY;
  const char* name = (flags & O_CREAT) || writes ? watched(path) : NULL;
  if (!name) return real(path, flags, mode);
  pthread_mutex_lock(&mutex);
  const int is_new = (flags & O_CREAT) && access(path, F_OK) != 0;
  const int file = (is_new || writes) && fails(CREATE, name) ? -1 : real(path, flags, mode);
  if (file >= 0 && is_new)
    note(CREATE, name, inode_of(file), 0, NULL, 0);
  else if (file >= 0 && (flags & O_TRUNC))
    note(TRUNCATE, name, inode_of(file), 0, NULL, 0);
  END(file);
}

#define OPEN(symbol)                                    \
  int symbol(const char* path, int flags, ...) {        \
    REAL(int, symbol, const char*, int, ...);           \
    va_list more;                                       \
    va_start(more, flags);                              \
    const mode_t mode = (mode_t)va_arg(more, unsigned); \
    va_end(more);                                       \
    return open_file(real_##symbol, path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

int unlink(const char* path) {
  REAL(int, unlink, const char*);
  const char* name = watched(path);
  if (!name) return real_unlink(path);
  pthread_mutex_lock(&mutex);
  const int failed = fails(UNLINK, name) ? -1 : real_unlink(path);
  if (failed == 0) note(UNLINK, name, 0, 0, NULL, 0);
  END(failed);
}

int rename(const char* from, const char* to) {
  REAL(int, rename, const char*, const char*);
  const char* name = watched(from);
  const char* target = watched(to);
  if (!name || !target) return real_rename(from, to);
  pthread_mutex_lock(&mutex);
  const int failed = fails(RENAME, name) ? -1 : real_rename(from, to);
  if (failed == 0) note(RENAME, name, 0, 0, target, (int64_t)strlen(target));
  END(failed);
}

/* The rest of what changes folders: seen only where nothing may be written. */
static int is_refused(const char* path) {
  const char* name = is_read_only() ? watched(path) : NULL;
  if (!name) return 0;
  pthread_mutex_lock(&mutex);
  const int failed = fails(CREATE, name);
  END(failed);
}

int mkdir(const char* path, mode_t mode) {
  REAL(int, mkdir, const char*, mode_t);
  return is_refused(path) ? -1 : real_mkdir(path, mode);
}

int rmdir(const char* path) {
  REAL(int, rmdir, const char*);
  return is_refused(path) ? -1 : real_rmdir(path);
}

int link(const char* from, const char* to) {
  REAL(int, link, const char*, const char*);
  return is_refused(to) ? -1 : real_link(from, to);
}

int remove(const char* path) {
  REAL(int, remove, const char*);
  return is_refused(path) ? -1 : real_remove(path);
}

int unlinkat(int folder_file, const char* path, int flags) {
  REAL(int, unlinkat, int, const char*, int);
  char whole[PATH_MAX];
  char base[PATH_MAX];
  const char* below = is_read_only() && *path != '/' ? name_of(folder_file, base) : NULL;
  if (below) {
    snprintf(whole, sizeof(whole), "%s/%s", folder, below);
    if (is_refused(whole)) return -1;
  }
  return is_refused(path) ? -1 : real_unlinkat(folder_file, path, flags);
}

int access(const char* path, int mode) {
  REAL(int, access, const char*, int);
  return (mode & W_OK) && is_refused(path) ? -1 : real_access(path, mode);
}
