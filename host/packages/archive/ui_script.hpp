#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::plugins {

/// Names that the page's import map has for every plugin; a plugin's scripts import them and no
/// other bare name. As in shell-ui/packages/rollup-preset/src/shared-modules.ts.
std::span<const std::string_view> shared_modules() noexcept;

/// Returns the modules that a script, an ES module, imports or re-exports in its leading
/// statements, as bundlers write them, in order. Ends at the first other statement, so that no text
/// within the script is taken for an import. Any bytes may be given; time and memory are in
/// proportion to them.
std::vector<std::string> leading_imports(std::string_view script);

/// Shared packages whose own code is within the script: there may be one of each in a page. Found
/// by texts of theirs that minifying keeps. Any bytes may be given.
std::vector<std::string_view> bundled_copies(std::string_view script);

}  // namespace tenon::plugins
