#pragma once

namespace tenon::app {

/// Bytes from which on a block of memory is mapped by itself and given back to the system when it
/// is freed: bodies and responses that wait, not what a usual request needs.
constexpr int large_block = 128 * 1024;

/// Lets this process open as many files and connections as the system allows it. The usual soft
/// limit of 1,024 is there for programs that call select().
void raise_open_files_limit() noexcept;

/// Has the C library map blocks of `large_block` bytes and more one by one, and share its arenas
/// among more threads (an arena a processor and one more), so that what many slow clients took is
/// free for others when they have left (decision 0024). To be called before there are threads.
void keep_memory_small() noexcept;

/// Has the system end (SIGKILL) a process that a plugin forks when the thread that forked it ends,
/// so that none outlives this process. Holds for fork(3), and for what the new process executes.
void end_forks_with_their_threads() noexcept;

/// Gives back the pages of the program and its libraries; one that is needed again comes from the
/// cache of its file. After a start that is half of a host's memory, and more of a supervisor's.
/// A mapping that has a page of its own stays whole: a debugger's breakpoint is in it, or what a
/// library was relocated to. Any thread.
void release_code() noexcept;

}  // namespace tenon::app
