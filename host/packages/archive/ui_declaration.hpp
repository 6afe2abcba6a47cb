#pragma once

#include <string_view>

#include "packages/archive/lint.hpp"

namespace tenon::plugins {

/// The names of the shell's icons, those of lucide: a line each, sorted, with a line end before the
/// first. A test of the UI compares them with the package lucide-react.
extern const std::string_view icon_names;

/// Checks what plugin.json declares for the shell: names of icons, the extension points of
/// contributions and their entries, and whether the page has code for them. Appends to `report`.
/// Throws as Contents.
void check_ui_declaration(const Archive& archive, const Contents& contents,
                          const Manifest& manifest, LintReport& report);

}  // namespace tenon::plugins
