// Synchronization.Mutex takes and releases a lock that nobody waits for with instructions of the caller, which the thread
// sanitizer sees. When somebody waits, it does so in the standard library, which is not built for it: what is handed over
// by such a lock would be reported as a race. Loaded before that library, this tells the sanitizer.
// `withLockIfAvailable`, which nobody here calls, would need the same.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// Weak: programs that `swift test` starts load this too, and need not be built for the sanitizer.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK_SLOW);
SWIFT void unlock_slow(SELF void *mutex) __asm__(UNLOCK_SLOW);

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) {
  SWIFT void (*standard)(uint32_t, SELF void *) = dlsym(RTLD_NEXT, LOCK_SLOW);
  standard(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT void unlock_slow(SELF void *mutex) {
  SWIFT void (*standard)(SELF void *) = dlsym(RTLD_NEXT, UNLOCK_SLOW);
  if (__tsan_release) __tsan_release(mutex);
  standard(mutex);
}
