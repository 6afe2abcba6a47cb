#pragma once

#include <string>

namespace tenon::plugins {

/// Removes a plugin's file of SQLite with what lies beside it; without effect where nothing is
/// there. Nobody has it open. Throws Refusal 500 "plugins.data_not_removed".
void remove_data_file(const std::string& file);

}  // namespace tenon::plugins
