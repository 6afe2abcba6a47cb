#include "records/search/search_directory.hpp"

#include <utility>

#include "records/model/table_context.hpp"
#include "routing/route.hpp"

namespace tenon::records {

SearchDirectory::SearchDirectory() = default;
SearchDirectory::~SearchDirectory() = default;

void SearchDirectory::attach(Entry entry) {
  if (entry.table_contexts.empty()) return;
  auto added = std::make_shared<const Entry>(std::move(entry));
  const std::lock_guard lock(mutex_);
  entries_.push_back(std::move(added));
}

void SearchDirectory::detach(const std::string& plugin) {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const auto& entry) { return entry->plugin == plugin; });
}

std::vector<std::shared_ptr<const SearchDirectory::Entry>> SearchDirectory::all() const {
  const std::lock_guard lock(mutex_);
  return entries_;
}

}  // namespace tenon::records
