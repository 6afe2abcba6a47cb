#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packages/archive/lint.hpp"

namespace tenon::plugins {

/// How good a package is, as docs/quality.md describes it.
enum class Grade : std::uint8_t { none, bronze, silver, gold, platinum };
std::string_view to_string(Grade grade) noexcept;

/// One rule of a grade, and whether the package satisfies it.
struct QualityRule {
  std::string id;  ///< "description"; the heading in docs/quality.md
  Grade grade = Grade::bronze;
  bool is_satisfied = false;
  std::string message;  ///< what to do; empty if it is satisfied
};

struct Quality {
  Grade grade =
      Grade::none;  ///< the highest one of which all rules, and all of lower ones, are satisfied
  std::vector<QualityRule> rules;
};

/// Grades a package. `report` is what lint_package() returned for it. Throws as Contents.
Quality grade_package(const Archive& archive, const Contents& contents, const Manifest& manifest,
                      const LintReport& report);

}  // namespace tenon::plugins
