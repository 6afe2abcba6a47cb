#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "bridge/abi_error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/db/db_interface.hpp"
#include "bridge/db/plugin_database.hpp"
#include "bridge/frame.hpp"
#include "data/database.hpp"
#include "observability/work.hpp"

namespace tenon::plugins {

constinit thread_local tenon_handle DbInterface::running_work = 0;

/// A write that a plugin queued.
class PluginWrite final : public data::QueuedWrite {
 public:
  PluginWrite(std::shared_ptr<Bridge> bridge, const tenon_db_work& work) noexcept
      : bridge_(std::move(bridge)), work_(work) {
    if (const observability::Work* origin = observability::current_work())
      request_id_ = origin->request_id;
  }
  ~PluginWrite() override {
    const Frame frame(bridge_->name(), Operation::write, request_id_, false);
    drop(work_);
  }
  PluginWrite(const PluginWrite&) = delete;
  PluginWrite& operator=(const PluginWrite&) = delete;

  void work(data::Transaction& transaction) override {
    code_ = bridge_->db().run_work(work_, request_id_, transaction, after_);
    // Rolls back; done() reports the plugin's own code.
    if (code_ != TENON_OK) transaction.rollback();
  }

  void done(std::exception_ptr failure) noexcept override {
    if (!failure && code_ == TENON_OK) {
      guarded(nullptr, [this] {
        bridge_->db().complete(std::move(after_));
        return TENON_OK;
      });
    }
    const Frame frame(bridge_->name(), Operation::write, request_id_, false);
    const auto notify = static_cast<void (*)(void*, tenon_code, const tenon_error*)>(work_.done);
    if (code_ == TENON_DONE) {
      enter(notify, work_.ctx, tenon_code{TENON_OK}, static_cast<const tenon_error*>(nullptr));
    } else if (code_ < 0 || !failure) {
      enter(notify, work_.ctx, code_, static_cast<const tenon_error*>(nullptr));
    } else {
      tenon_error error{};
      error.size = sizeof(error);
      const tenon_code code =
          guarded(&error, [&]() -> tenon_code { std::rethrow_exception(failure); });
      enter(notify, work_.ctx, code, static_cast<const tenon_error*>(&error));
    }
  }

 private:
  std::shared_ptr<Bridge> bridge_;
  tenon_db_work work_;
  std::string request_id_;
  tenon_code code_ = TENON_OK;
  DbInterface::AfterCommit after_;
};

tenon_code DbInterface::write(std::uint32_t deadline_ms, const tenon_db_work& work,
                              tenon_error* error) {
  auto write = std::make_unique<PluginWrite>(bridge_.shared_from_this(), work);
  if (!work.fn || !work.done)
    return fail_argument(error, "The function of the work or of its completion is NULL.");
  if (deadline_ms > max_deadline_ms)
    return fail_argument(error, "The deadline is at most 60,000 ms.");
  bridge_.database().get()->queue(std::move(write), std::chrono::milliseconds(deadline_ms));
  return TENON_OK;
}

DbInterface::BorrowOutcome DbInterface::run_borrowed(data::Transaction& transaction,
                                                     std::string_view request_id,
                                                     BorrowPurpose purpose,
                                                     tenon_code (*function)(void*, tenon_handle),
                                                     void* context) {
  Transactions::Opened opened = open_slot();
  if (!opened.pin)
    throw base::Error(503, "data.busy", "This plugin has too many open transactions.");
  opened.pin->transaction.emplace(std::move(transaction));
  opened.pin->is_in_callback = purpose == BorrowPurpose::callback;
  opened.pin->holds_events = purpose == BorrowPurpose::queued_write;
  opened.pin->is_in_use.store(false, std::memory_order_release);
  BorrowOutcome outcome;
  {
    const Frame frame(bridge_.name(), running_in(purpose), request_id, false);
    const BorrowScope borrow(opened.handle);
    outcome.code = enter(function, tenon_code{TENON_E_INTERNAL}, context, opened.handle);
  }
  outcome.is_finished = !opened.pin.close();
  close_cursors(*opened.pin);
  // Wait for another thread's call on it, which would continue after the write lock is released.
  while (opened.pin->is_in_use.exchange(true, std::memory_order_acquire))
    std::this_thread::yield();
  transaction = *std::exchange(opened.pin->transaction, std::nullopt);
  outcome.is_rolled_back = opened.pin->is_rolled_back;
  outcome.failure = std::move(opened.pin->failure);
  outcome.ended = std::move(opened.pin->ended);
  outcome.events = std::move(opened.pin->events);
  return outcome;
}

tenon_code DbInterface::run_work(const tenon_db_work& work, std::string_view request_id,
                                 data::Transaction& transaction, AfterCommit& after) {
  BorrowOutcome outcome =
      run_borrowed(transaction, request_id, BorrowPurpose::queued_write,
                   static_cast<tenon_code (*)(void*, tenon_handle)>(work.fn), work.ctx);
  after = {std::move(outcome.ended), std::move(outcome.events)};
  if (outcome.code < 0) return outcome.code;
  if (outcome.is_rolled_back) return TENON_DONE;
  if (outcome.failure) std::rethrow_exception(outcome.failure);
  if (!outcome.is_finished) return TENON_OK;
  throw base::Error(503, "data.closed", "The database of this plugin is closed.");
}

}  // namespace tenon::plugins
