#pragma once

#include <string>
#include <string_view>

namespace tenon::app {

/// Returns the script that completes command lines of tenon in a shell: "bash", "zsh" or "fish".
/// Empty for another name.
std::string completion_script(std::string_view shell);

}  // namespace tenon::app
