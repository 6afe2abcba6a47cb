// Code of the plugin where records are written and read.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_slice.hpp"
#include "base/utf8.hpp"
#include "bridge/abi_error.hpp"
#include "bridge/bounded_call.hpp"
#include "bridge/bridge.hpp"
#include "bridge/db/db_interface.hpp"
#include "bridge/frame.hpp"
#include "bridge/spans.hpp"
#include "bridge/tables/tables_interface.hpp"
#include "observability/log.hpp"
#include "observability/work.hpp"
#include "records/model/limits.hpp"
#include "routing/lease.hpp"

namespace tenon::plugins {

namespace {

using records::RecordOperation;

constexpr std::uint64_t max_refusal_bytes = 1'000;

// A text that the plugin wrote: perhaps without an end, perhaps no UTF-8.
template <std::size_t capacity>
std::string callback_text(const char (&text)[capacity]) {
  const std::string_view found(text, strnlen(text, capacity));
  return base::is_valid_utf8(found) ? std::string(found) : std::string();
}

tenon_code fail_stale_callback(tenon_error* error) noexcept {
  return fail(error, TENON_E_HANDLE, 500, "plugins.stale_handle",
              "The handle is stale or was never given.");
}

// The error of a write that a callback refused.
base::Error refusal_of(const std::string& plugin, const std::string& table,
                       const tenon_error& error) {
  const std::string message = callback_text(error.message);
  if (error.status >= 400 && error.status <= 499) {
    const std::string name = callback_text(error.name);
    return {static_cast<int>(error.status), name.empty() ? "records.refused" : name,
            message.empty() ? "The plugin refused this." : message};
  }
  observability::log_error("a callback before a write failed",
                           {{"plugin", plugin}, {"table", table}, {"reason", message}});
  return {500, "plugins.callback_failed", "The plugin could not take this change."};
}

std::vector<std::string_view> elements_of(std::string_view records) {
  std::vector<std::string_view> elements;
  const base::JsonSlice all(records);
  if (all.type() == base::JsonType::object) return {all.text()};
  all.each_element([&](const base::JsonSlice& one) { elements.push_back(one.text()); });
  return elements;
}

}  // namespace

// A callback before a write, and copies of everything that it is given: it may run longer than its
// limit.
struct TablesInterface::BeforeCall {
  BeforeCall(Bridge& of, routing::Lease entered, const tenon_tables_before& called,
             const records::PendingWrite& pending)
      : bridge(of.shared_from_this()),
        lease(std::move(entered)),
        callback(called),
        request_id(observability::current_request_id()),
        name(pending.table.table.name),
        id(pending.id),
        before(pending.before),
        change(pending.change),
        user(pending.context.user().value_or(std::string())) {
    error.size = sizeof(error);
    write = {.size = sizeof(tenon_tables_write),
             .operation = operation_of(pending.operation),
             .handle = 0,
             .transaction = 0,
             .table = span(name),
             .id = span(id),
             .before = span(before),
             .change = span(change),
             .user = pending.context.user() ? span(user) : tenon_span{},
             .flags = pending.enforce_rules ? 0 : TENON_TABLES_AS_SYSTEM,
             .reserved = 0};
  }

  void run() {
    const Frame frame(bridge->name(), Operation::table, request_id, false);
    const DbInterface::BorrowScope borrow(write.transaction);
    code = enter(
        static_cast<tenon_code (*)(void*, const tenon_tables_write*, tenon_error*)>(callback.fn),
        tenon_code{TENON_E_INTERNAL}, callback.ctx, static_cast<const tenon_tables_write*>(&write),
        &error);
  }

  const std::shared_ptr<Bridge> bridge;
  const routing::Lease lease;
  const tenon_tables_before callback;
  const std::string request_id, name, id, before, change, user;
  tenon_tables_write write{};
  tenon_error error{};
  tenon_code code = TENON_E_INTERNAL;
  bool is_late = false;                  ///< the caller's
  std::atomic<bool> is_finished{false};  ///< it returned, or its caller no longer waits
};

// Runs the callback, and waits for it as long as a write may.
void TablesInterface::run(const std::shared_ptr<BeforeCall>& call) {
  std::unique_ptr<BoundedThread> thread;
  {
    const std::lock_guard lock(mutex_);
    call->is_late = late_befores_ >= max_late_befores;
    if (call->is_late) return;
    thread = std::move(before_thread_);
  }
  if (!thread) thread = std::make_unique<BoundedThread>();
  const auto work = [this, call] {
    call->run();
    if (!call->is_finished.exchange(true)) return;
    const std::lock_guard lock(mutex_);
    --late_befores_;
  };
  call->is_late = !thread->run(work, records::before_write_time);
  const std::lock_guard lock(mutex_);
  if (!call->is_late)
    before_thread_ = std::move(thread);
  else if (!call->is_finished.exchange(true))
    ++late_befores_;
}

records::HookResult TablesInterface::before(const records::PendingWrite& write,
                                            data::Transaction& transaction) {
  using Clock = std::chrono::steady_clock;
  if (!bridge_.gate().enter())
    throw base::Error(503, "plugins.draining",
                      "This plugin is being changed. Try again in a moment.");
  const std::string& name = write.table.table.name;
  auto call = std::make_shared<BeforeCall>(bridge_, routing::Lease(&bridge_.gate()),
                                           befores_.find(name)->second.callback, write);
  OpenWrite::Running running{write, unrestricted(name), {}, {}};
  auto opened = writes_.open([&](OpenWrite& item) noexcept { item.running = &running; });
  if (!opened.pin) throw base::Error(503, "data.busy", "Too many writes of this plugin run.");
  call->write.handle = opened.handle;
  const auto end = [&] {
    opened.pin.close();
    const std::lock_guard lock(opened.pin->mutex);
    opened.pin->running = nullptr;
  };
  const auto begun = Clock::now();
  DbInterface::BorrowOutcome outcome;
  try {
    outcome = bridge_.db().run_borrowed(
        transaction, call->request_id, DbInterface::BorrowPurpose::callback,
        [](void* context, tenon_handle handle) {
          const auto& pending = *static_cast<const std::shared_ptr<BeforeCall>*>(context);
          pending->write.transaction = handle;
          pending->bridge->tables().run(pending);
          return pending->is_late ? tenon_code{TENON_E_TIMEOUT} : pending->code;
        },
        &call);
  } catch (...) {
    end();
    throw;
  }
  end();
  const auto took = Clock::now() - begun;
  if (call->is_late || took > records::before_write_time) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
    observability::log_error("a callback before a write took too long",
                             {{"plugin", bridge_.plugin_id()},
                              {"table", name},
                              {"ms", ms},
                              {"returned", call->is_late ? "no" : "yes"}});
    throw base::Error(
        503, "plugins.callback_too_slow",
        "The plugin took too long with this change, so the change was undone. Try again; if "
        "it fails again, an admin can disable the plugin and enable it again.");
  }
  if (!running.refused.empty()) throw records::invalid(std::move(running.refused));
  if (outcome.code < 0) throw refusal_of(bridge_.plugin_id(), name, call->error);
  if (outcome.failure) std::rethrow_exception(outcome.failure);
  if (outcome.is_finished) {
    const char* const why = "The callback ended the host's transaction.";
    observability::log_error("a callback before a write failed",
                             {{"plugin", bridge_.plugin_id()}, {"table", name}, {"reason", why}});
    throw base::Error(500, "plugins.callback_failed", "The plugin could not take this change.");
  }
  return {std::move(running.changes), std::move(outcome.ended)};
}

tenon_code TablesInterface::set(tenon_handle write, tenon_span fields, tenon_error* error) {
  if (!is_sound(fields) || fields.size > records::max_body_bytes)
    return fail_argument(error, "The fields are no span, or more than 1 MiB.");
  const auto open = writes_.pin(write);
  if (!open) return fail_stale_callback(error);
  const std::lock_guard lock(open->mutex);
  if (!open->running) return fail_stale_callback(error);
  OpenWrite::Running& running = *open->running;
  if (running.write.operation == RecordOperation::remove)
    return fail_state(error, "A callback cannot set fields of a record that is being deleted.");
  base::check_json(view(fields));
  records::Body body =
      records::read_body(running.whole, base::JsonSlice(view(fields)), records::Kind::update);
  if (!body.errors.empty()) {
    const base::FieldError& first = body.errors.front();
    return fail_argument(error, first.field + ": " + first.message);
  }
  for (records::Change& change : body.changes) {
    if (change.is_increment)
      return fail_argument(error, change.field->field.name +
                                      ": Set the number itself; increments are for requests.");
    std::erase_if(running.changes,
                  [&](const records::Change& one) { return one.field == change.field; });
    running.changes.push_back(std::move(change));
  }
  return TENON_OK;
}

tenon_code TablesInterface::refuse(tenon_handle write, tenon_span field, tenon_span code,
                                   tenon_span message) {
  for (const tenon_span text : {field, code, message}) {
    if (!is_sound(text) || text.size > max_refusal_bytes || !base::is_valid_utf8(view(text)))
      return TENON_E_INVALID;
  }
  if (code.size == 0) return TENON_E_INVALID;
  const auto open = writes_.pin(write);
  if (!open) return TENON_E_HANDLE;
  const std::lock_guard lock(open->mutex);
  if (!open->running) return TENON_E_HANDLE;
  if (open->running->refused.size() == records::max_refused_fields) return TENON_E_TOO_LARGE;
  open->running->refused.push_back(
      {std::string(view(field)), std::string(view(code)), std::string(view(message))});
  return TENON_OK;
}

tenon_code TablesInterface::add(tenon_handle page, std::uint32_t index, tenon_span extra,
                                tenon_error* error) {
  if (!is_sound(extra)) return fail_argument(error, "A span has a size and no data.");
  if (extra.size > records::max_extra_bytes)
    return fail(error, TENON_E_TOO_LARGE, 413, "records.extra_too_large",
                "The addition to a record has at most 64 KiB.");
  base::check_json(view(extra));
  const base::JsonSlice json(view(extra));
  if (json.type() != base::JsonType::object)
    return fail_argument(error, "The addition to a record must be a JSON object.");
  const auto open = pages_.pin(page);
  if (!open) return fail_stale_callback(error);
  const std::lock_guard lock(open->mutex);
  if (!open->extras) return fail_stale_callback(error);
  if (index >= open->extras->size())
    return fail_argument(error, "The page has no record at this index.");
  (*open->extras)[index] = json.text();
  return TENON_OK;
}

tenon_code TablesInterface::add_extras(const records::TableModel& of,
                                       const expression::Context& context,
                                       const std::vector<std::string_view>& records,
                                       std::vector<std::string>& extras) {
  if (!bridge_.gate().enter()) return TENON_E_STATE;
  const routing::Lease lease(&bridge_.gate());
  const auto found = extenders_.find(of.table.name);
  if (found == extenders_.end()) return TENON_E_STATE;
  auto opened = pages_.open([&](OpenPage& item) noexcept { item.extras = &extras; });
  if (!opened.pin) return TENON_E_BUSY;
  std::vector<tenon_span> spans;
  spans.reserve(records.size());
  for (const std::string_view record : records)
    spans.push_back(span(record));
  const auto& user = context.user();
  const tenon_tables_page page{.size = sizeof(tenon_tables_page),
                               .count = static_cast<std::uint32_t>(records.size()),
                               .handle = opened.handle,
                               .table = span(of.table.name),
                               .records = spans.data(),
                               .user = user ? span(*user) : tenon_span{}};
  tenon_error error{};
  error.size = sizeof(error);
  tenon_code code = TENON_E_INTERNAL;
  {
    const Frame frame(bridge_.name(), Operation::table, observability::current_request_id(), true);
    code = enter(static_cast<tenon_code (*)(void*, const tenon_tables_page*, tenon_error*)>(
                     found->second.fn),
                 tenon_code{TENON_E_INTERNAL}, found->second.ctx, &page, &error);
  }
  opened.pin.close();
  {
    const std::lock_guard lock(opened.pin->mutex);
    opened.pin->extras = nullptr;
  }
  if (code < 0) {
    observability::log_warning("a plugin could not add to its records",
                               {{"plugin", bridge_.plugin_id()},
                                {"table", of.table.name},
                                {"reason", callback_text(error.message)}});
  }
  return code;
}

void TablesInterface::extend(const records::TableModel& of, const expression::Context& context,
                             std::string_view records, data::JsonText& text) {
  const std::vector<std::string_view> all = elements_of(records);
  std::vector<std::string> extras(all.size());
  if (all.empty() || add_extras(of, context, all, extras) < 0) return text.put(records);
  const bool is_list = records.starts_with('[');
  if (is_list) text.put('[');
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i != 0) text.put(',');
    if (extras[i].empty()) {
      text.put(all[i]);
      continue;
    }
    // Every record has its id: a comma is due.
    text.put(all[i].substr(0, all[i].size() - 1));
    text.put(",\"extra\":");
    text.put(extras[i]);
    text.put('}');
  }
  if (is_list) text.put(']');
}

bool TablesInterface::deliver(const std::string& name,
                              const std::vector<DeliveredChange>& changes) {
  const tenon_tables_after& after = afters_.find(name)->second;
  std::vector<tenon_tables_change> all;
  all.reserve(changes.size());
  std::vector<const tenon_tables_change*> pointers;
  for (const DeliveredChange& change : changes) {
    all.push_back({.size = sizeof(tenon_tables_change),
                   .operation = change.operation,
                   .sequence = change.sequence,
                   .id = span(change.id)});
    pointers.push_back(&all.back());
  }
  tenon_error error{};
  error.size = sizeof(error);
  tenon_code code = TENON_E_INTERNAL;
  {
    const Frame frame(bridge_.name(), Operation::table, {}, true);
    code = enter(static_cast<tenon_code (*)(void*, tenon_span, const tenon_tables_change* const*,
                                            std::uint32_t, tenon_error*)>(after.fn),
                 tenon_code{TENON_E_INTERNAL}, after.ctx, span(name),
                 static_cast<const tenon_tables_change* const*>(pointers.data()),
                 static_cast<std::uint32_t>(pointers.size()), &error);
  }
  if (code >= 0) return true;
  observability::log_warning(
      "a callback after writes failed; it is called again",
      {{"plugin", bridge_.plugin_id()}, {"table", name}, {"reason", callback_text(error.message)}});
  return false;
}

}  // namespace tenon::plugins
