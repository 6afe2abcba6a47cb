#pragma once

#include <string>
#include <string_view>

#include <tenon/json.hpp>

#include "tasks_tables.hpp"

namespace tasks {

/// Makes a board of `owner` of what Trello exports as JSON ("Export as JSON" of a board), in one
/// transaction: lists, labels, cards, checklists and comments. Nothing where the board is there
/// already. Throws JobFailed where the text is no such export, or is too large.
void import_trello(tenon::Database& db, std::string_view text, const tenon::Id<tables::Boards>& id,
                   const tenon::UserId& owner);

}  // namespace tasks
