#pragma once

#include <string>

namespace tenon::plugins {

/// Compares an installed folder with the list that it was installed with (BLAKE2b-512 of FILES in
/// hexadecimal), file by file. Throws Refusal 409 "plugins.files_modified" that names the first
/// file that was changed, added or removed.
void verify_files(const std::string& folder, const std::string& list_hash);

}  // namespace tenon::plugins
