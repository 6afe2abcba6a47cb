#include "bridge/tables/change_consumer.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <tenon/tables.h>

#include "bridge/tables/host_made_tables.hpp"
#include "data/database.hpp"
#include "observability/log.hpp"
#include "realtime/change_log.hpp"
#include "records/query/dialect.hpp"
#include "routing/lease.hpp"

namespace tenon::plugins {

namespace {

constexpr std::string_view bookmark_name = "after_write";

// Of a change as the log has it.
std::uint32_t operation_of(const realtime::Change& change) noexcept {
  if (change.is_create) return TENON_TABLES_CREATE;
  return change.is_delete ? TENON_TABLES_DELETE : TENON_TABLES_UPDATE;
}

}  // namespace

ChangeConsumer::ChangeConsumer(std::string plugin, std::shared_ptr<data::Database> database,
                               routing::LeaseGate& gate, std::vector<std::string> tables, Tell tell)
    : plugin_(std::move(plugin)),
      database_(std::move(database)),
      gate_(gate),
      tables_(std::move(tables)),
      tell_(std::move(tell)) {
  find_place();
}

ChangeConsumer::~ChangeConsumer() {
  stop();
}

void ChangeConsumer::find_place() {
  {
    data::Transaction transaction = database_->begin(data::Mode::read);
    const realtime::LogEnds ends = realtime::read_ends(transaction, database_->dialect());
    log_ = ends.name;
    position_ = ends.newest;
    if (transaction.query(records::dialect::find_table(database_->dialect()), {bookmarks}).next()) {
      data::Rows row = transaction.query("SELECT log, seq FROM tenon_bookmarks WHERE name = ?1",
                                         {bookmark_name});
      if (row.next()) {
        kept_ = row.integer(1);
        has_gap_ = row.text(0) != log_ || kept_ < ends.oldest - 1 || kept_ > ends.newest;
        position_ = has_gap_ ? ends.oldest - 1 : kept_;
      }
    }
  }
  if (kept_ < 0) keep_place();
}

void ChangeConsumer::keep_place() {
  database_->write([this](data::Transaction& transaction) {
    if (!transaction.query(records::dialect::find_table(database_->dialect()), {bookmarks}).next())
      transaction.exec_as_host(
          records::dialect::host_table(database_->dialect(), make_bookmarks_table));
    transaction.exec_as_host(
        "INSERT INTO tenon_bookmarks (name, log, seq) VALUES (?1, ?2, ?3) ON CONFLICT (name) DO "
        "UPDATE SET log = excluded.log, seq = excluded.seq",
        {bookmark_name, log_, position_});
  });
  kept_ = position_;
  is_any_told_ = false;
}

void ChangeConsumer::start() {
  database_->on_commit(
      [this] {
        const std::lock_guard lock(mutex_);
        is_due_ = true;
        wakes_.notify_all();
      },
      this);
  thread_ = std::thread([this] { run(); });
}

void ChangeConsumer::stop_soon() noexcept {
  const std::lock_guard lock(mutex_);
  is_stopping_ = true;
  wakes_.notify_all();
}

bool ChangeConsumer::wait_idle(std::chrono::steady_clock::time_point until) {
  std::unique_lock lock(mutex_);
  return wakes_.wait_until(lock, until, [this] { return !is_telling_; });
}

void ChangeConsumer::stop() noexcept {
  stop_soon();
  if (!thread_.joinable()) return;
  database_->on_commit({}, this);
  thread_.join();
  try {
    if (position_ != kept_ && !has_gap_) keep_place();
  } catch (const std::exception& error) {
    // They come again: at least once.
    observability::log_warning("the place in the log of changes could not be kept",
                               {{"plugin", plugin_}, {"reason", error.what()}});
  }
}

bool ChangeConsumer::may_go_on() const {
  const std::lock_guard lock(mutex_);
  return !is_stopping_;
}

bool ChangeConsumer::tell_gap() {
  for (const std::string& table : tables_) {
    if (!tell_(table, {{TENON_TABLES_GAP, position_, {}}})) return false;
  }
  has_gap_ = false;
  keep_place();
  return true;
}

bool ChangeConsumer::tell_runs(const std::vector<realtime::Change>& changes) {
  std::vector<DeliveredChange> told;
  const std::string* table = nullptr;
  const auto tell = [&] {
    if (told.empty()) return true;
    if (!may_go_on() || !tell_(*table, told)) return false;
    position_ = told.back().sequence;
    is_any_told_ = true;
    told.clear();
    return true;
  };
  for (const realtime::Change& change : changes) {
    if (std::find(tables_.begin(), tables_.end(), change.table) == tables_.end()) continue;
    if (table && *table != change.table && !tell()) return false;
    table = &change.table;
    const std::uint32_t operation = operation_of(change);
    // The values of many references are changes of their own.
    const bool is_same = !told.empty() && operation == TENON_TABLES_UPDATE &&
                         told.back().operation == operation && told.back().id == change.record;
    if (is_same)
      told.back().sequence = change.sequence;
    else
      told.push_back({operation, change.sequence, change.record});
  }
  return tell();
}

bool ChangeConsumer::tell_round() {
  has_failed_ = true;
  realtime::LogEnds ends;
  realtime::Changes changes;
  {
    data::Transaction transaction = database_->begin(data::Mode::read);
    ends = realtime::read_ends(transaction, database_->dialect());
    if (ends.newest > position_) {
      changes = realtime::read_changes(transaction, position_, ends.newest, max_changes);
      realtime::settle_deletes(transaction, database_->dialect(), changes);
    }
  }
  if (!changes.is_gapless) {
    has_gap_ = true;
    position_ = std::max(position_, ends.oldest - 1);
  }
  if (has_gap_ && !tell_gap()) return true;
  if (!changes.is_gapless) {
    has_failed_ = false;
    return true;
  }
  if (!tell_runs(changes.list)) return may_go_on();
  position_ = std::max(position_, changes.last);
  has_failed_ = false;
  if (is_any_told_ || position_ - kept_ >= kept_every) keep_place();
  return changes.has_more;
}

void ChangeConsumer::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wakes_.wait(lock, [this] { return is_due_ || is_stopping_; });
    if (is_stopping_) return;
    if (!gate_.enter()) return;
    is_due_ = false;
    is_telling_ = true;
    lock.unlock();
    bool has_more = true;
    {
      const routing::Lease lease(&gate_);
      try {
        has_more = tell_round();
      } catch (const std::exception& error) {
        has_failed_ = true;
        observability::log_warning("changes could not be told to a plugin",
                                   {{"plugin", plugin_}, {"reason", error.what()}});
      }
    }
    lock.lock();
    is_telling_ = false;
    wakes_.notify_all();
    if (!has_failed_) {
      pause_ = first_pause;
      is_due_ = is_due_ || has_more;
      continue;
    }
    wakes_.wait_for(lock, pause_, [this] { return is_stopping_; });
    pause_ = std::min(pause_ * 2, max_pause);
    is_due_ = true;
  }
}

}  // namespace tenon::plugins
