#pragma once

#include <string>
#include <string_view>

namespace tenon::codegen {

/// Returns the C++ header with a tenon::Setting for each setting that a plugin.json declares, in
/// the namespace `<plugin>::settings`. A setting of a type without a C++ type is a tenon::Json.
/// Reads no more of the manifest than this needs. Throws base::Error if it is no JSON object, or
/// has no id.
std::string settings_header(std::string_view manifest);

}  // namespace tenon::codegen
