#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/engine/engine.hpp"
#include "data/files/clean_close.hpp"
#include "sqlite/engine/engine.hpp"

namespace tenon::data::sqlite {

class FileCheck;

/// The engine of a file that was closed cleanly. The first call that needs the file opens it; until
/// then it uses no descriptor and no connection. Thread-safe.
class LazyEngine final : public data::Engine, public std::enable_shared_from_this<LazyEngine> {
 public:
  /// `options.closed`: the state of the file when it was closed. Opens nothing.
  explicit LazyEngine(DatabaseOptions options);
  ~LazyEngine() override;

  Dialect dialect() const noexcept override { return Dialect::sqlite; }
  const std::string& path() const noexcept override { return options_.path; }
  std::shared_ptr<Handle> first_handle() override { return first_; }
  std::shared_ptr<Handle> open_handle(Handle::OnFault on_fault) override;
  void close_handle(Handle& handle) noexcept override;
  void leave_wal() noexcept override;
  bool pause_writes(Handle& handle, std::chrono::milliseconds timeout) override;
  void resume_writes(Handle& handle) override;

  Transaction begin(Mode mode, std::chrono::milliseconds timeout, Handle& handle) override;
  void run_write(const WriteCall& call, std::chrono::milliseconds timeout, Handle& handle) override;
  void queue(std::unique_ptr<QueuedWrite> write, std::chrono::milliseconds timeout,
             Handle& handle) override;
  Rows query(std::string_view sql, Cells cells, std::chrono::milliseconds timeout) override;
  std::size_t append_json(JsonShape shape, JsonText& text, std::string_view sql, Cells cells,
                          std::chrono::milliseconds timeout) override;
  Cursor open_cursor(std::string_view sql, Cells cells, const BatchLimits& limits,
                     std::chrono::milliseconds timeout, const Handle& handle) override;

  std::vector<std::string> quick_check(int max_findings) override;
  Statistics statistics() const override;
  FileFacts file_facts() const override;

  OpenEngine& opened() override { return engine(); }
  void begin_check() override;
  std::optional<CleanClose> clean_close() const override;

 private:
  /// Returns the engine of the file, which it opens if needed. Throws the errors of opening, 503
  /// data.closed after the last handle was closed, and 503 data.open if the file was replaced.
  sqlite::Engine& engine() {
    sqlite::Engine* const engine = open_.load(std::memory_order_acquire);
    return engine ? *engine : open();
  }
  sqlite::Engine& open();
  void require_there() const;
  /// Reports once why the file cannot be opened, and `healed` when it is open.
  void report_trouble(Fault fault, const std::string& detail);

  DatabaseOptions options_;
  const std::shared_ptr<Handle> first_;

  mutable std::mutex mutex_;
  std::shared_ptr<sqlite::Engine> engine_;
  std::atomic<sqlite::Engine*> open_{nullptr};  ///< the same
  bool is_closed_ = false;
  Fault trouble_ = Fault::healed;        ///< the last one that was reported
  std::atomic<bool> is_sound_{false};    ///< what the check found
  std::atomic<bool> is_damaged_{false};  ///< the same
  std::unique_ptr<FileCheck> check_;     ///< until it is opened
};

}  // namespace tenon::data::sqlite
