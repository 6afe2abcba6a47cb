#pragma once

namespace tenon::app {

struct Arguments;

/// Prints the plan of an installation or upgrade by the package file or the id in the first
/// operand; returns 1 if it is refused. Throws base::Error.
int print_package_plan(const Arguments& given);

}  // namespace tenon::app
