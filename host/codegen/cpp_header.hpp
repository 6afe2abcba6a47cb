#pragma once

#include <string>
#include <string_view>

#include "schema/tables.hpp"

namespace tenon::codegen {

/// The header `<plugin>_tables.hpp` of a plugin's tables: what `#include <tenon/tables.hpp>` makes
/// typed. Everything is in the namespace `<plugin>::tables`. The same tables give the same text.
std::string cpp_header(const data::schema::Tables& tables, std::string_view plugin);

}  // namespace tenon::codegen
