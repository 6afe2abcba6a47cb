#pragma once

#include <string>

namespace tenon::app {

/// A data directory whose rows are in PostgreSQL names the installation there in its file
/// `database`: the rows speak of the files in the directory. This file alone says which engine the
/// directory belongs to (docs/decisions/0047, 0050).

/// Returns the id of the installation in PostgreSQL that the directory belongs to; empty: it is of
/// SQLite, or of no engine yet.
std::string bound_database(const std::string& data);

/// Returns true if the file exists, even when a loss of power left it empty.
bool is_bound(const std::string& data);

/// Throws base::Error 500 "app.data_unusable".
void bind_to_database(const std::string& data, const std::string& installation);
void unbind_from_database(const std::string& data);

/// The file that marks a directory while rows are copied into it: no server starts on its files of
/// SQLite.
bool is_being_copied_into(const std::string& data);
void mark_being_copied_into(const std::string& data, bool is_being_copied);

}  // namespace tenon::app
