#define _GNU_SOURCE
#include "faulty_files.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// One call at a time, so that the log has the order in which things happened.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static char watched[PATH_MAX];
static _Atomic int log_descriptor = -1;
static _Atomic int64_t clock_nanoseconds;

static uint32_t armed_kinds;
static int64_t calls_left;
static int32_t armed_error;
static int32_t armed_persists;
static int64_t fired;

enum { descriptor_count = 8192 };
// For each descriptor of a watched file, a number that no other opening has; 0 for the others.
static uint32_t handles[descriptor_count];
static uint8_t unrecorded[descriptor_count];
static uint32_t last_handle;

#define REAL(name)                                                                                                     \
  static _Atomic(__typeof__(name) *) found;                                                                            \
  __typeof__(name) *real = found;                                                                                      \
  if (!real) found = real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

// MARK: - Control

static int is_watched(const char *path) {
  size_t length = strlen(watched);
  return length > 0 && strncmp(path, watched, length) == 0;
}

void faulty_watch(const char *folder) {
  pthread_mutex_lock(&lock);
  strncpy(watched, folder, sizeof(watched) - 1);
  pthread_mutex_unlock(&lock);
}

void faulty_record(const char *log) {
  log_descriptor = (int)syscall(SYS_open, log, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
}

void faulty_arm(uint32_t kinds, int64_t skipped, int32_t error, int32_t persists) {
  pthread_mutex_lock(&lock);
  armed_kinds = kinds;
  calls_left = skipped;
  armed_error = error;
  armed_persists = persists;
  fired = 0;
  pthread_mutex_unlock(&lock);
}

int64_t faulty_disarm(void) {
  pthread_mutex_lock(&lock);
  armed_kinds = 0;
  int64_t result = fired;
  pthread_mutex_unlock(&lock);
  return result;
}

void faulty_move_clock(double seconds) { clock_nanoseconds = (int64_t)(seconds * 1e9); }

// MARK: - Faults and the log, with the lock held

static void die(void) { syscall(SYS_kill, (int)syscall(SYS_getpid), SIGKILL); }

// What the call is to fail with, a way to be killed, or 0.
static int32_t fault(uint32_t kind) {
  if (!(armed_kinds & kind)) return 0;
  if (calls_left-- > 0) return 0;
  if (!armed_persists) armed_kinds = 0;
  fired += 1;
  return armed_error;
}

static void log_bytes(const void *bytes, size_t count) {
  const char *next = bytes;
  while (count > 0) {
    long done = syscall(SYS_write, log_descriptor, next, count);
    if (done <= 0) die();
    next += done;
    count -= (size_t)done;
  }
}

static void record(char kind, uint32_t handle, int64_t number, const void *bytes, size_t count) {
  if (log_descriptor < 0) return;
  struct __attribute__((packed)) {
    char kind;
    uint32_t handle;
    int64_t number;
    uint32_t count;
  } head = {kind, handle, number, (uint32_t)count};
  log_bytes(&head, sizeof(head));
  log_bytes(bytes, count);
}

static void record_path(char kind, uint32_t handle, int64_t number, const char *path) {
  record(kind, handle, number, path, strlen(path));
}

void faulty_note(int64_t number) {
  pthread_mutex_lock(&lock);
  record('n', 0, number, "", 0);
  pthread_mutex_unlock(&lock);
}

static uint32_t handle_of(int descriptor) {
  return descriptor >= 0 && descriptor < descriptor_count ? handles[descriptor] : 0;
}

static void record_to(int descriptor, char kind, int64_t number, const void *bytes, size_t count) {
  if (!unrecorded[descriptor]) record(kind, handles[descriptor], number, bytes, count);
}

// MARK: - Opening

static int open_watched(int folder, const char *path, int flags, mode_t mode) {
  pthread_mutex_lock(&lock);
  int32_t error = fault(faulty_open);
  if (error == faulty_kill_before) die();
  if (error > 0) {
    pthread_mutex_unlock(&lock);
    errno = error;
    return -1;
  }
  int existed = syscall(SYS_access, path, F_OK) == 0;
  int descriptor = (int)syscall(SYS_openat, folder, path, flags, mode);
  int code = errno;
  if (error == faulty_kill_after) die();
  if (descriptor >= 0 && descriptor < descriptor_count) {
    size_t length = strlen(path);
    handles[descriptor] = ++last_handle;
    // Connections share it as memory; it says nothing that a restart would need.
    unrecorded[descriptor] = length > 4 && strcmp(path + length - 4, "-shm") == 0;
    if (!unrecorded[descriptor]) {
      record_path('o', last_handle, existed ? 0 : 1, path);
      if (flags & O_TRUNC) record('t', last_handle, 0, "", 0);
    }
  }
  pthread_mutex_unlock(&lock);
  errno = code;
  return descriptor;
}

static int open_any(const char *path, int flags, va_list arguments) {
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
  if (is_watched(path)) return open_watched(AT_FDCWD, path, flags, mode);
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  int result = open_any(path, flags, arguments);
  va_end(arguments);
  return result;
}

int open64(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  int result = open_any(path, flags, arguments);
  va_end(arguments);
  return result;
}

int close(int descriptor) {
  pthread_mutex_lock(&lock);
  if (handle_of(descriptor)) handles[descriptor] = 0;
  pthread_mutex_unlock(&lock);
  return (int)syscall(SYS_close, descriptor);
}

// MARK: - Writing and reading

static ssize_t write_watched(int descriptor, const void *bytes, size_t count, off_t offset, int isAt) {
  pthread_mutex_lock(&lock);
  int32_t error = fault(faulty_write);
  if (error > 0) {
    pthread_mutex_unlock(&lock);
    errno = error;
    return -1;
  }
  // A process may be stopped in the middle of a write.
  size_t some = error == faulty_kill_before ? count / 2 : count;
  if (!isAt) offset = (off_t)syscall(SYS_lseek, descriptor, 0, SEEK_CUR);
  long done = isAt ? syscall(SYS_pwrite64, descriptor, bytes, some, offset) : syscall(SYS_write, descriptor, bytes, some);
  int code = errno;
  if (error < 0) die();
  if (done > 0) record_to(descriptor, 'w', offset, bytes, (size_t)done);
  pthread_mutex_unlock(&lock);
  errno = code;
  return done;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (handle_of(descriptor)) return write_watched(descriptor, bytes, count, 0, 0);
  return syscall(SYS_write, descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  if (handle_of(descriptor)) return write_watched(descriptor, bytes, count, offset, 1);
  return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  return pwrite(descriptor, bytes, count, offset);
}

static int read_fails(int descriptor) {
  if (!handle_of(descriptor) || !(armed_kinds & faulty_read)) return 0;
  pthread_mutex_lock(&lock);
  int32_t error = fault(faulty_read);
  pthread_mutex_unlock(&lock);
  if (error > 0) errno = error;
  return error > 0;
}

ssize_t read(int descriptor, void *bytes, size_t count) {
  return read_fails(descriptor) ? -1 : syscall(SYS_read, descriptor, bytes, count);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
  return read_fails(descriptor) ? -1 : syscall(SYS_pread64, descriptor, bytes, count, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
  return pread(descriptor, bytes, count, offset);
}

// MARK: - The rest

// Runs a system call of a watched file, and records it where it worked.
#define WATCHED(kind, call, recording)                                                                                 \
  pthread_mutex_lock(&lock);                                                                                           \
  int32_t error = fault(kind);                                                                                         \
  if (error == faulty_kill_before) die();                                                                              \
  long result = -1;                                                                                                    \
  int code = error;                                                                                                    \
  if (error <= 0) {                                                                                                    \
    result = call;                                                                                                     \
    code = errno;                                                                                                      \
    if (error == faulty_kill_after) die();                                                                             \
    if (result == 0) recording;                                                                                        \
  }                                                                                                                    \
  pthread_mutex_unlock(&lock);                                                                                         \
  errno = code;                                                                                                        \
  return (int)result;

int ftruncate(int descriptor, off_t size) {
  if (!handle_of(descriptor)) return (int)syscall(SYS_ftruncate, descriptor, size);
  WATCHED(faulty_truncate, syscall(SYS_ftruncate, descriptor, size), record_to(descriptor, 't', size, "", 0))
}

int ftruncate64(int descriptor, off64_t size) { return ftruncate(descriptor, size); }

int fsync(int descriptor) {
  if (!handle_of(descriptor)) return (int)syscall(SYS_fsync, descriptor);
  // Nothing here outlives the machine; what is recorded loses what was not synced when the log is replayed.
  WATCHED(faulty_sync, 0, record_to(descriptor, 's', 0, "", 0))
}

int fdatasync(int descriptor) { return fsync(descriptor); }

int unlink(const char *path) {
  if (!is_watched(path)) return (int)syscall(SYS_unlink, path);
  WATCHED(faulty_unlink, syscall(SYS_unlink, path), record_path('u', 0, 0, path))
}

int rename(const char *old, const char *new) {
  if (!is_watched(old)) return (int)syscall(SYS_rename, old, new);
  char both[2 * PATH_MAX];
  size_t length = strlen(old);
  memcpy(both, old, length + 1);
  strncpy(both + length + 1, new, PATH_MAX - 1);
  WATCHED(
    faulty_rename, syscall(SYS_rename, old, new), record('r', 0, 0, both, length + 1 + strlen(both + length + 1)))
}

int mkdir(const char *path, mode_t mode) {
  if (!is_watched(path)) return (int)syscall(SYS_mkdir, path, mode);
  WATCHED(faulty_mkdir, syscall(SYS_mkdir, path, mode), record_path('m', 0, 0, path))
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  REAL(clock_gettime);
  int result = real(clock, time);
  int64_t offset = clock_nanoseconds;
  if (result == 0 && clock == CLOCK_REALTIME && offset != 0) {
    int64_t total = time->tv_sec * 1000000000LL + time->tv_nsec + offset;
    time->tv_sec = total / 1000000000LL;
    time->tv_nsec = total % 1000000000LL;
  }
  return result;
}
