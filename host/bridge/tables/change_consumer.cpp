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

constexpr std::string_view checkpoint_name = "after_write";

// The operation of a change in the change log.
std::uint32_t operation_of(const realtime::Change& change) noexcept {
  if (change.is_create) return TENON_TABLES_CREATE;
  return change.is_delete ? TENON_TABLES_DELETE : TENON_TABLES_UPDATE;
}

}  // namespace

ChangeConsumer::ChangeConsumer(std::string plugin, std::shared_ptr<data::Database> database,
                               routing::LeaseGate& gate, std::vector<std::string> tables,
                               Deliver deliver)
    : plugin_(std::move(plugin)),
      database_(std::move(database)),
      gate_(gate),
      tables_(std::move(tables)),
      deliver_(std::move(deliver)) {
  load_checkpoint();
}

ChangeConsumer::~ChangeConsumer() {
  stop();
}

void ChangeConsumer::load_checkpoint() {
  {
    data::Transaction transaction = database_->begin(data::Mode::read);
    const realtime::LogEnds ends = realtime::read_ends(transaction, database_->dialect());
    log_ = ends.name;
    position_ = ends.newest;
    if (transaction.query(records::dialect::find_table(database_->dialect()), {checkpoints_table})
            .next()) {
      data::Rows row = transaction.query("SELECT log, seq FROM tenon_bookmarks WHERE name = ?1",
                                         {checkpoint_name});
      if (row.next()) {
        checkpoint_ = row.integer(1);
        has_gap_ =
            row.text(0) != log_ || checkpoint_ < ends.oldest - 1 || checkpoint_ > ends.newest;
        position_ = has_gap_ ? ends.oldest - 1 : checkpoint_;
      }
    }
  }
  if (checkpoint_ < 0) save_checkpoint();
}

void ChangeConsumer::save_checkpoint() {
  database_->write([this](data::Transaction& transaction) {
    if (!transaction.query(records::dialect::find_table(database_->dialect()), {checkpoints_table})
             .next())
      transaction.exec_as_host(
          records::dialect::host_table(database_->dialect(), make_checkpoints_table));
    transaction.exec_as_host(
        "INSERT INTO tenon_bookmarks (name, log, seq) VALUES (?1, ?2, ?3) ON CONFLICT (name) DO "
        "UPDATE SET log = excluded.log, seq = excluded.seq",
        {checkpoint_name, log_, position_});
  });
  checkpoint_ = position_;
  has_delivered_ = false;
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
  return wakes_.wait_until(lock, until, [this] { return !is_delivering_; });
}

void ChangeConsumer::stop() noexcept {
  stop_soon();
  if (!thread_.joinable()) return;
  database_->on_commit({}, this);
  thread_.join();
  try {
    if (position_ != checkpoint_ && !has_gap_) save_checkpoint();
  } catch (const std::exception& error) {
    // The changes are delivered again: at least once.
    observability::log_warning("could not save the checkpoint of the change log",
                               {{"plugin", plugin_}, {"reason", error.what()}});
  }
}

bool ChangeConsumer::may_continue() const {
  const std::lock_guard lock(mutex_);
  return !is_stopping_;
}

bool ChangeConsumer::deliver_gap() {
  for (const std::string& table : tables_) {
    if (!deliver_(table, {{TENON_TABLES_GAP, position_, {}}})) return false;
  }
  has_gap_ = false;
  save_checkpoint();
  return true;
}

bool ChangeConsumer::deliver_batch(const std::vector<realtime::Change>& changes) {
  std::vector<DeliveredChange> batch;
  const std::string* table = nullptr;
  const auto deliver = [&] {
    if (batch.empty()) return true;
    if (!may_continue() || !deliver_(*table, batch)) return false;
    position_ = batch.back().sequence;
    has_delivered_ = true;
    batch.clear();
    return true;
  };
  for (const realtime::Change& change : changes) {
    if (std::find(tables_.begin(), tables_.end(), change.table) == tables_.end()) continue;
    if (table && *table != change.table && !deliver()) return false;
    table = &change.table;
    const std::uint32_t operation = operation_of(change);
    // The values of many references are changes of their own.
    const bool is_same = !batch.empty() && operation == TENON_TABLES_UPDATE &&
                         batch.back().operation == operation && batch.back().id == change.record;
    if (is_same)
      batch.back().sequence = change.sequence;
    else
      batch.push_back({operation, change.sequence, change.record});
  }
  return deliver();
}

bool ChangeConsumer::deliver_next() {
  has_failed_ = true;
  realtime::LogEnds ends;
  realtime::Changes changes;
  {
    data::Transaction transaction = database_->begin(data::Mode::read);
    ends = realtime::read_ends(transaction, database_->dialect());
    if (ends.newest > position_) {
      changes = realtime::read_changes(transaction, position_, ends.newest, max_changes);
      realtime::correct_deletes(transaction, database_->dialect(), changes);
    }
  }
  if (!changes.is_gapless) {
    has_gap_ = true;
    position_ = std::max(position_, ends.oldest - 1);
  }
  if (has_gap_ && !deliver_gap()) return true;
  if (!changes.is_gapless) {
    has_failed_ = false;
    return true;
  }
  if (!deliver_batch(changes.list)) return may_continue();
  position_ = std::max(position_, changes.last);
  has_failed_ = false;
  if (has_delivered_ || position_ - checkpoint_ >= max_unsaved_changes) save_checkpoint();
  return changes.has_more;
}

void ChangeConsumer::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wakes_.wait(lock, [this] { return is_due_ || is_stopping_; });
    if (is_stopping_) return;
    if (!gate_.enter()) return;
    is_due_ = false;
    is_delivering_ = true;
    lock.unlock();
    bool has_more = true;
    {
      const routing::Lease lease(&gate_);
      try {
        has_more = deliver_next();
      } catch (const std::exception& error) {
        has_failed_ = true;
        observability::log_warning("could not deliver changes to a plugin",
                                   {{"plugin", plugin_}, {"reason", error.what()}});
      }
    }
    lock.lock();
    is_delivering_ = false;
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
