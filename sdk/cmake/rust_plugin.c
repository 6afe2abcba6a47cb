/*
 * The entry of a plugin in Rust, and two functions of libc in the form that its standard library
 * needs in a library that is unloaded. tenon_add_plugin(RUST) compiles this file.
 *
 * glibc keeps a library mapped while a thread has a destructor of it to run, and a key of pthread
 * must not outlive its destructor. The threads of the host outlive every plugin. So destructors of
 * thread-local values run on threads that the plugin started, and not on threads of the host: there
 * each value leaks, some 100 bytes once for each thread and load.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

#include <tenon/entry.h>

/* Both are in the crate tenon, the first through tenon::plugin!. */
tenon_code tenon_rust_create(const tenon_host* host, tenon_plugin** plugin, tenon_error* error);
int32_t tenon_rust_is_host_thread(void);

TENON_EXPORT extern const tenon_plugin_entry tenon_plugin_entry_v1;
const tenon_plugin_entry tenon_plugin_entry_v1 = {
    .magic = TENON_ENTRY_MAGIC,
    .size = sizeof(tenon_plugin_entry),
    .abi_major = TENON_ABI_MAJOR,
    .abi_minor = TENON_ABI_MINOR,
    .needs_host_minor = TENON_PLUGIN_NEEDS_HOST_MINOR,
    .id = {TENON_PLUGIN_ID, sizeof TENON_PLUGIN_ID - 1},
    .version = {TENON_PLUGIN_VERSION, sizeof TENON_PLUGIN_VERSION - 1},
    .create = tenon_rust_create,
};

/* Replaces the function of glibc for this library. */
int __cxa_thread_atexit_impl(void (*destructor)(void*), void* value, void* library);
int __cxa_thread_atexit_impl(void (*destructor)(void*), void* value, void* library) {
  if (tenon_rust_is_host_thread()) return 0;
  int (*original)(void (*)(void*), void*, void*);
  *(void**)&original = dlsym(RTLD_NEXT, "__cxa_thread_atexit_impl");
  return original == NULL ? 0 : original(destructor, value, library);
}

/* Rust from 1.84 on makes one key. Further keys than these get no destructor. */
enum { max_keys = 8 };
static pthread_key_t keys[max_keys];
static atomic_uint key_count;

/* Replaces the function of glibc for this library. */
int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  int (*original)(pthread_key_t*, void (*)(void*));
  *(void**)&original = dlsym(RTLD_NEXT, "pthread_key_create");
  const unsigned at = destructor == NULL ? max_keys : atomic_fetch_add(&key_count, 1);
  const int failure = original(key, at < max_keys ? destructor : NULL);
  if (at < max_keys) keys[at] = failure ? (pthread_key_t)-1 : *key;
  return failure;
}

__attribute__((destructor)) static void delete_keys(void) {
  const unsigned count = atomic_load(&key_count);
  for (unsigned at = 0; at < count && at < max_keys; ++at)
    if (keys[at] != (pthread_key_t)-1) pthread_key_delete(keys[at]);
}
