#pragma once

namespace tenon::app {

/// Lets this process open as many files and connections as the system allows it. The usual soft
/// limit of 1,024 is there for programs that call select().
void raise_open_files_limit() noexcept;

}  // namespace tenon::app
