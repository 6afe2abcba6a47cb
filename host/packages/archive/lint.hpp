#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packages/archive/archive.hpp"
#include "packages/manifest/manifest.hpp"

namespace tenon::plugins {

/// Size limits of a plugin's pages, in bytes; gzipped where that is said. A build of the pages that
/// needs more says so, with its reason, under "budget" of ui/manifest.json, in kilobytes of 1,024
/// bytes. As in shell-ui/packages/rollup-preset/src/budget.ts.
struct UiLimits {
  static constexpr std::uint64_t script = 16ull * 1024 * 1024;  ///< of one script, as it is
  static constexpr std::uint64_t entry = 50 * 1024;   ///< the entry and what it preloads, gzipped
  static constexpr std::uint64_t chunk = 200 * 1024;  ///< a script that is loaded later, gzipped
  static constexpr std::uint64_t styles = 20 * 1024;  ///< all stylesheets together, gzipped
};

/// A finding about a package.
struct LintFinding {
  std::string code;  ///< stable: "plugins.lint_exports"
  std::string file;  ///< its name in the package
  std::string message;
};

/// Errors are what a host refuses or a browser cannot run; with warnings a plugin works.
struct LintReport {
  std::vector<LintFinding> errors;
  std::vector<LintFinding> warnings;
};

/// Checks the content of a package: plugin.json, tables.json, the library for this machine, and the
/// pages. Runs nothing of it, and accepts any content. `contents` is of `archive`, whose files were
/// compared with FILES. Throws as Contents.
LintReport lint_package(const Archive& archive, const Contents& contents, const Manifest& manifest);

}  // namespace tenon::plugins
