#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "data/database.hpp"
#include "observability/work.hpp"
#include "plugins/bridge/abi_error.hpp"
#include "plugins/bridge/bridge.hpp"
#include "plugins/bridge/db_interface.hpp"
#include "plugins/bridge/db_lend.hpp"
#include "plugins/bridge/frame.hpp"
#include "plugins/bridge/plugin_database.hpp"

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
    const Frame frame(bridge_->plugin_id(), request_id_, false);
    drop(work_);
  }
  PluginWrite(const PluginWrite&) = delete;
  PluginWrite& operator=(const PluginWrite&) = delete;

  void work(data::Transaction& transaction) override {
    code_ = bridge_->db().run_work(work_, request_id_, transaction);
    // Undoes it; done() tells the plugin's own code.
    if (code_ != TENON_OK) transaction.rollback();
  }

  void done(std::exception_ptr failure) noexcept override {
    const Frame frame(bridge_->plugin_id(), request_id_, false);
    const auto tell = static_cast<void (*)(void*, tenon_code, const tenon_error*)>(work_.done);
    if (code_ == TENON_DONE) {
      enter(tell, work_.ctx, tenon_code{TENON_OK}, static_cast<const tenon_error*>(nullptr));
    } else if (code_ < 0 || !failure) {
      enter(tell, work_.ctx, code_, static_cast<const tenon_error*>(nullptr));
    } else {
      tenon_error error{};
      error.size = sizeof(error);
      const tenon_code code =
          guarded(&error, [&]() -> tenon_code { std::rethrow_exception(failure); });
      enter(tell, work_.ctx, code, static_cast<const tenon_error*>(&error));
    }
  }

 private:
  std::shared_ptr<Bridge> bridge_;
  tenon_db_work work_;
  std::string request_id_;
  tenon_code code_ = TENON_OK;
};

tenon_code DbInterface::write(std::uint32_t deadline_ms, const tenon_db_work& work,
                              tenon_error* error) {
  auto write = std::make_unique<PluginWrite>(bridge_.shared_from_this(), work);
  if (!work.fn || !work.done) return fail_argument(error, "The work or who is told of it is NULL.");
  if (deadline_ms > longest_deadline_ms)
    return fail_argument(error, "The deadline is at most 60,000 ms.");
  bridge_.database().get()->queue(std::move(write), std::chrono::milliseconds(deadline_ms));
  return TENON_OK;
}

tenon_code DbInterface::run_work(const tenon_db_work& work, std::string_view request_id,
                                 data::Transaction& transaction) {
  return lend(transaction, [&](tenon_handle handle) {
    const Frame frame(bridge_.plugin_id(), request_id, false);
    const tenon_handle outer = std::exchange(running_work, handle);
    const tenon_code code = enter(static_cast<tenon_code (*)(void*, tenon_handle)>(work.fn),
                                  tenon_code{TENON_E_INTERNAL}, work.ctx, handle);
    running_work = outer;
    return code < 0 ? code : TENON_OK;
  });
}

}  // namespace tenon::plugins
