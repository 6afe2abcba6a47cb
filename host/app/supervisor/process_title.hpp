#pragma once

namespace tenon::app {

/// Remembers the words of main().
void remember_command_line(int count, char** words) noexcept;

/// From here on ps shows this process as `tenon host …` instead of `tenon serve …`.
void show_as_host() noexcept;

}  // namespace tenon::app
