/* A wall clock that a test sets, preloaded under the real server. Other clocks are not changed.
 *
 *   SHIFTED_CLOCK_CONTROL  a file of one int64_t: by how many milliseconds the wall clock is off
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t* shift;

__attribute__((constructor)) static void begin(void) {
  const char* path = getenv("SHIFTED_CLOCK_CONTROL");
  const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void* mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) shift = mapped;
  close(file);
}

static int64_t shifted(void) {
  return shift ? *shift : 0;
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  static int (*real)(clockid_t, struct timespec*);
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, "clock_gettime");
  const int result = real(clock, now);
  if (result != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
  const int64_t by = shifted();
  int64_t part = now->tv_nsec + by % 1000 * 1000000;
  now->tv_sec += by / 1000;
  if (part < 0) {
    part += 1000000000;
    --now->tv_sec;
  } else if (part >= 1000000000) {
    part -= 1000000000;
    ++now->tv_sec;
  }
  now->tv_nsec = part;
  return 0;
}

int gettimeofday(struct timeval* restrict now, void* restrict zone) {
  (void)zone;
  struct timespec precise;
  if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* now) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  if (now) *now = precise.tv_sec;
  return precise.tv_sec;
}
