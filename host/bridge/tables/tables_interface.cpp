#include "bridge/tables/tables_interface.hpp"

#include <utility>

#include "base/clock.hpp"
#include "bridge/abi_error.hpp"
#include "bridge/bounded_call.hpp"
#include "bridge/bridge.hpp"
#include "bridge/db/plugin_database.hpp"
#include "bridge/frame.hpp"
#include "bridge/spans.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

namespace {

constexpr std::uint32_t all_operations =
    TENON_TABLES_CREATE | TENON_TABLES_UPDATE | TENON_TABLES_DELETE;

}  // namespace

std::uint32_t TablesInterface::operation_of(records::RecordOperation operation) noexcept {
  switch (operation) {
    case records::RecordOperation::create:
      return TENON_TABLES_CREATE;
    case records::RecordOperation::update:
      return TENON_TABLES_UPDATE;
    case records::RecordOperation::remove:
      break;
  }
  return TENON_TABLES_DELETE;
}

TablesInterface::TablesInterface(Bridge& bridge)
    : bridge_(bridge),
      writes_(HandleKind::record_write, max_open,
              static_cast<std::uint64_t>(base::monotonic_nanoseconds())),
      pages_(HandleKind::record_page, max_open,
             static_cast<std::uint64_t>(base::monotonic_nanoseconds())) {}

TablesInterface::~TablesInterface() = default;

namespace {

// Checks a callback that is being registered; TENON_OK if it is valid.
template <typename Callbacks>
tenon_code check_callback(const Callbacks& known, tenon_span table, bool has_function,
                          tenon_error* error) {
  if (!is_sound(table) || table.size == 0 || table.size > data::schema::max_name_length)
    return fail_argument(error, "A table has a name of 1 to 48 bytes.");
  if (!has_function) return fail_argument(error, "The callback has no function.");
  if (known.find(view(table)) != known.end())
    return fail_argument(error,
                         "The table \"" + std::string(view(table)) + "\" has such a callback.");
  return TENON_OK;
}

}  // namespace

tenon_code TablesInterface::before_write(tenon_span name, std::uint32_t operations,
                                         tenon_tables_before& before, tenon_error* error) {
  if (operations == 0 || (operations & ~all_operations) != 0)
    return fail_argument(error, "There is no operation, or one that this host does not know.");
  const tenon_code code = check_callback(befores_, name, before.fn != nullptr, error);
  if (code == TENON_OK) befores_.emplace(view(name), Before{operations, before});
  return code;
}

tenon_code TablesInterface::after_write(tenon_span name, tenon_tables_after& after,
                                        tenon_error* error) {
  const tenon_code code = check_callback(afters_, name, after.fn != nullptr, error);
  if (code == TENON_OK) afters_.emplace(view(name), after);
  return code;
}

tenon_code TablesInterface::extend(tenon_span name, tenon_tables_extender& extender,
                                   tenon_error* error) {
  const tenon_code code = check_callback(extenders_, name, extender.fn != nullptr, error);
  if (code == TENON_OK) extenders_.emplace(view(name), extender);
  return code;
}

void TablesInterface::check(const data::schema::Tables& tables) const {
  const auto require = [&](const std::string& name, bool is_published) {
    const data::schema::Table* declared = tables.find(name);
    if (declared && (declared->publish || !is_published)) return;
    throw Refusal({"plugins.callback_unknown_table",
                   "The plugin has a callback for the table \"" + name + "\", which is " +
                       (declared ? "not published." : "not declared."),
                   "tables.json",
                   {}});
  };
  for (const auto& [name, before] : befores_)
    require(name, false);
  for (const auto& [name, after] : afters_)
    require(name, true);
  for (const auto& [name, extender] : extenders_) {
    require(name, true);
    if (tables.find(name)->find("extra")) {
      throw Refusal({"plugins.callback_unknown_table",
                     "The table \"" + name + "\" has a field \"extra\": nothing can be added.",
                     "tables.json",
                     {}});
    }
  }
}

std::unique_ptr<ChangeConsumer> TablesInterface::make_consumer() {
  if (afters_.empty()) return nullptr;
  std::vector<std::string> tables;
  for (const auto& [name, after] : afters_)
    tables.push_back(name);
  return std::make_unique<ChangeConsumer>(
      bridge_.plugin_id(), bridge_.database().get(), bridge_.gate(), std::move(tables),
      [this](const std::string& name, const std::vector<DeliveredChange>& changes) {
        return deliver(name, changes);
      });
}

void TablesInterface::drop_callbacks() noexcept {
  // It ends with the thread-locals that the plugin's library has there.
  before_thread_.reset();
  const Frame frame(bridge_.name(), Operation::stop, {}, true);
  for (auto& [name, before] : befores_)
    drop(before.callback);
  for (auto& [name, after] : afters_)
    drop(after);
  for (auto& [name, extender] : extenders_)
    drop(extender);
}

bool TablesInterface::has_before(std::string_view name,
                                 records::RecordOperation operation) const noexcept {
  const auto found = befores_.find(name);
  return found != befores_.end() && (found->second.operations & operation_of(operation)) != 0;
}

bool TablesInterface::has_extender(std::string_view name) const noexcept {
  return extenders_.find(name) != extenders_.end();
}

const records::TableModel& TablesInterface::unrestricted(std::string_view name) const {
  return *record_service()->unrestricted(name);
}

}  // namespace tenon::plugins
