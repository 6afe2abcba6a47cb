/* Runs a command and counts the system calls by which it changes files below a folder, of all its
 * threads in the order in which the kernel gets them; at the n-th the process is killed, or the
 * call fails with an error without being made and, on demand, so does every later one. strace
 * counts those of each thread by itself, so that it misses every call that another thread was ahead
 * of.
 *
 *   calls CONTROL FOLDER COMMAND…
 *
 * CONTROL is a file of one struct control, which the test writes; a line for each counted call is
 * written to CONTROL.log. Ends as the command ends; 137 where it was killed, 3 where it cannot
 * trace.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT = 3 };

struct control {
  int32_t on;    /* 0: nothing is counted */
  int32_t at;    /* the call that is meant, from 1; 0: none */
  int32_t error; /* 0: the process is killed before it; else it fails with this */
  int32_t stays; /* with an error: every later one fails, too */
  int32_t seen;
  int32_t hit;
};

/* A call, and the arguments that name its file: a descriptor, a path, the flags of an open. */
struct call {
  int number;
  const char* name;
  int descriptor, path, flags;
  int is_write; /* may fail with "disk full" */
};

static const struct call calls[] = {
#ifdef SYS_open
    {SYS_open, "open", -1, 0, 1, 1},
    {SYS_rename, "rename", -1, 0, -1, 1},
    {SYS_unlink, "unlink", -1, 0, -1, 0},
    {SYS_mkdir, "mkdir", -1, 0, -1, 1},
    {SYS_rmdir, "rmdir", -1, 0, -1, 0},
    {SYS_link, "link", -1, 1, -1, 1},
#endif
    {SYS_openat, "open", 0, 1, 2, 1},
    {SYS_renameat, "rename", 0, 1, -1, 1},
    {SYS_renameat2, "rename", 0, 1, -1, 1},
    {SYS_unlinkat, "unlink", 0, 1, -1, 0},
    {SYS_mkdirat, "mkdir", 0, 1, -1, 1},
    {SYS_linkat, "link", 2, 3, -1, 1},
    {SYS_write, "write", 0, -1, -1, 1},
    {SYS_writev, "write", 0, -1, -1, 1},
    {SYS_pwrite64, "write", 0, -1, -1, 1},
    {SYS_pwritev, "write", 0, -1, -1, 1},
    {SYS_fsync, "fsync", 0, -1, -1, 0},
    {SYS_fdatasync, "fsync", 0, -1, -1, 0},
    {SYS_ftruncate, "truncate", 0, -1, -1, 0},
    {SYS_fallocate, "write", 0, -1, -1, 1},
    {SYS_copy_file_range, "write", 2, -1, -1, 1},
    {SYS_fchmod, "chmod", 0, -1, -1, 0},
    {SYS_fchown, "chown", 0, -1, -1, 0},
};
enum { KNOWN = sizeof(calls) / sizeof(calls[0]) };

static struct control* control;
static const char* folder;
static size_t folder_bytes;
static int record = -1;
static volatile pid_t child;

/* Only the calls above stop. */
static int filter_calls(void) {
  struct sock_filter code[2 * KNOWN + 2];
  size_t at = 0;
  code[at++] =
      (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (size_t i = 0; i < KNOWN; ++i) {
    code[at++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i].number, 0, 1);
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE | i);
  }
  code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const struct sock_fprog program = {(unsigned short)at, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int read_link(pid_t thread, const char* what, int file, char path[PATH_MAX]) {
  char link[64];
  if (file == AT_FDCWD)
    snprintf(link, sizeof(link), "/proc/%d/cwd", (int)thread);
  else
    snprintf(link, sizeof(link), "/proc/%d/%s/%d", (int)thread, what, file);
  const ssize_t got = readlink(link, path, PATH_MAX - 1);
  path[got > 0 ? got : 0] = '\0';
  return got > 0;
}

/* A byte at a time at the ends of pages, which may be the last. */
static void read_text(pid_t thread, uint64_t from, char text[PATH_MAX]) {
  size_t size = 0;
  while (size < PATH_MAX - 1) {
    const size_t page = 4096 - (from + size) % 4096;
    const size_t size_left = page < PATH_MAX - 1 - size ? page : PATH_MAX - 1 - size;
    struct iovec here = {text + size, size_left};
    struct iovec there = {(void*)(uintptr_t)(from + size), size_left};
    const ssize_t got = process_vm_readv(thread, &here, 1, &there, 1, 0);
    if (got <= 0) break;
    if (memchr(text + size, '\0', (size_t)got)) return;
    size += (size_t)got;
  }
  text[size] = '\0';
}

/* Whether the call changes a file of the folder; then its name below it. Not counted: what goes
 * away with the process, the shared memory of a WAL and the copies of libraries. */
static int is_meant(pid_t thread, const struct call* call, const uint64_t* arguments,
                    char name[2 * PATH_MAX]) {
  if (call->flags >= 0 && !(arguments[call->flags] & O_CREAT)) return 0;
  char text[PATH_MAX] = "", above[PATH_MAX] = "";
  if (call->path >= 0) read_text(thread, arguments[call->path], text);
  if (call->path >= 0 && text[0] == '/')
    snprintf(name, 2 * PATH_MAX, "%s", text);
  else if (call->descriptor >= 0 &&
           read_link(thread, "fd", (int)arguments[call->descriptor], above))
    snprintf(name, 2 * PATH_MAX, "%s%s%s", above, text[0] ? "/" : "", text);
  else
    return 0;
  if (strncmp(name, folder, folder_bytes) != 0 || (name[folder_bytes] && name[folder_bytes] != '/'))
    return 0;
  const char* inner = name + folder_bytes;
  const size_t bytes = strlen(inner);
  return strncmp(inner, "/run", 4) != 0 && (bytes < 4 || strcmp(inner + bytes - 4, "-shm") != 0);
}

/* The call is not made, and gives -error. */
static void refuse(pid_t thread, int error) {
#if defined(__x86_64__)
  struct user_regs_struct registers;
  if (ptrace(PTRACE_GETREGS, thread, 0, &registers)) return;
  registers.orig_rax = (unsigned long long)-1;
  registers.rax = (unsigned long long)-error;
  ptrace(PTRACE_SETREGS, thread, 0, &registers);
#elif defined(__aarch64__)
  struct user_regs_struct registers;
  int none = -1;
  struct iovec all = {&registers, sizeof(registers)}, number = {&none, sizeof(none)};
  if (ptrace(PTRACE_GETREGSET, thread, 1 /* NT_PRSTATUS */, &all)) return;
  ptrace(PTRACE_SETREGSET, thread, 0x404 /* NT_ARM_SYSTEM_CALL */, &number);
  registers.regs[0] = (unsigned long long)-error;
  ptrace(PTRACE_SETREGSET, thread, 1, &all);
#else
#error "Say how a call is refused here."
#endif
}

static void intercept(pid_t thread, const struct call* call) {
  if (!control->on) return;
  struct __ptrace_syscall_info info;
  if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof(info), &info) <= 0) return;
  char name[2 * PATH_MAX];
  if (!is_meant(thread, call, info.seccomp.args, name)) return;
  /* A file that is there is opened on a full disk, too. */
  if (control->error && (!call->is_write || (call->flags >= 0 && access(name, F_OK) == 0))) return;
  const int is_first = ++control->seen == control->at;
  const int is_it = is_first || (control->hit && control->stays);
  dprintf(record, "%s %s%s\n", call->name, name + folder_bytes, is_it ? " HERE" : "");
  if (!is_it) return;
  control->hit = 1;
  if (control->error)
    refuse(thread, control->error);
  else
    kill(child, SIGKILL);
}

static void pass_on(int signal) {
  if (child > 0) kill(child, signal);
}

static int follow(void) {
  for (;;) {
    int status;
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0 && errno == EINTR) continue;
    if (thread < 0) return CANNOT;
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (thread != child) continue;
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    if (!WIFSTOPPED(status)) continue;
    const int event = status >> 16;
    int signal = 0;
    if (event == PTRACE_EVENT_SECCOMP) {
      unsigned long which = KNOWN;
      ptrace(PTRACE_GETEVENTMSG, thread, 0, &which);
      if (which < KNOWN) intercept(thread, &calls[which]);
    } else if (event == 0) {
      signal = WSTOPSIG(status);
    }
    ptrace(PTRACE_CONT, thread, 0, signal);
  }
}

int main(int count, char** given) {
  if (count < 4) return 2;
  char log[PATH_MAX];
  snprintf(log, sizeof(log), "%s.log", given[1]);
  const int file = open(given[1], O_RDWR | O_CLOEXEC);
  record = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || record < 0) return CANNOT;
  control = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (control == MAP_FAILED) return CANNOT;
  folder = given[2];
  folder_bytes = strlen(folder);

  int gate[2];
  if (pipe(gate) != 0) return CANNOT;
  const pid_t made = fork();
  if (made < 0) return CANNOT;
  if (made == 0) {
    char go;
    close(gate[1]);
    if (read(gate[0], &go, 1) != 1 || filter_calls() != 0) _exit(CANNOT);
    close(gate[0]);
    execvp(given[3], given + 3);
    _exit(CANNOT);
  }
  child = made;
  signal(SIGTERM, pass_on);
  signal(SIGINT, pass_on);
  const long options = PTRACE_O_EXITKILL | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE |
                       PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
  close(gate[0]);
  if (ptrace(PTRACE_SEIZE, made, 0, options) != 0 || write(gate[1], "", 1) != 1) return CANNOT;
  close(gate[1]);
  return follow();
}
