#pragma once

#include <string>

#include <tenon/database.hpp>

namespace notes::store {

/// Writes down who may read what lies in a notebook and in those inside it, for the rule of the
/// published table `news`: after it was made or moved, and after its shares have changed.
void refresh_readers(tenon::Statements& db, const std::string& notebook);

}  // namespace notes::store
