#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/database.hpp"
#include "data/engine/handle.hpp"
#include "data/files/clean_close.hpp"
#include "data/migrate/migrator.hpp"

namespace tenon::data {

/// A write transaction as one call, run by the thread that holds the write lock.
struct WriteCall {
  void (*work)(void* context, Transaction& transaction);
  void* context;
};

class OpenEngine;

/// Implements Database for SQLite or PostgreSQL. Lives as long as any object that was made from it.
/// The calls have the contracts of Database and of migrate.hpp; any thread. `handle`: the handle of
/// the caller.
class Engine {
 public:
  Engine() = default;
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  virtual Dialect dialect() const noexcept = 0;
  virtual const std::string& path() const noexcept = 0;
  /// Returns the handle that the engine was opened with.
  virtual std::shared_ptr<Handle> first_handle() = 0;
  /// Makes another handle. Throws 503 data.closed.
  virtual std::shared_ptr<Handle> open_handle(Handle::OnFault on_fault) = 0;
  /// Closes a handle, and with the last one the engine.
  virtual void close_handle(Handle& handle) noexcept = 0;
  /// See Database::leave_wal().
  virtual void leave_wal() noexcept {}
  virtual bool pause_writes(Handle& handle, std::chrono::milliseconds timeout) = 0;
  virtual void resume_writes(Handle& handle) = 0;

  virtual Transaction begin(Mode mode, std::chrono::milliseconds timeout, Handle& handle) = 0;
  virtual void run_write(const WriteCall& call, std::chrono::milliseconds timeout,
                         Handle& handle) = 0;
  virtual void queue(std::unique_ptr<QueuedWrite> write, std::chrono::milliseconds timeout,
                     Handle& handle) = 0;
  virtual Rows query(std::string_view sql, Cells cells, std::chrono::milliseconds timeout) = 0;
  virtual std::size_t append_json(JsonShape shape, JsonText& text, std::string_view sql,
                                  Cells cells, std::chrono::milliseconds timeout) = 0;
  virtual Cursor open_cursor(std::string_view sql, Cells cells, const BatchLimits& limits,
                             std::chrono::milliseconds timeout, const Handle& handle) = 0;

  virtual std::vector<std::string> quick_check(int max_findings) = 0;
  virtual Statistics statistics() const = 0;
  virtual FileFacts file_facts() const = 0;

  /// Returns the engine of the open file. Opens the file if needed, and throws the errors of
  /// opening.
  virtual OpenEngine& opened() = 0;
  /// See Database.
  virtual void begin_check() {}
  virtual std::optional<CleanClose> clean_close() const { return std::nullopt; }

  /// See Database::on_commit().
  void set_on_commit(std::function<void()> notify, const void* owner) {
    const std::lock_guard lock(commit_mutex_);
    std::erase_if(on_commit_, [&](const auto& one) { return one.first == owner; });
    if (notify) on_commit_.emplace_back(owner, std::move(notify));
  }

 protected:
  /// Notifies the listeners of on_commit(). Call it after each COMMIT, with the write lock.
  void notify_commit() noexcept {
    const std::lock_guard lock(commit_mutex_);
    for (const auto& [owner, notify] : on_commit_)
      notify();
  }

 private:
  std::mutex commit_mutex_;
  std::vector<std::pair<const void*, std::function<void()>>> on_commit_;
};

/// An engine whose file or server is open: changes of the schema, and maintenance.
class OpenEngine : public Engine, public Migrator {
 public:
  /// Runs one pass of the maintenance thread: ends transactions past their deadline and reports
  /// faults. Returns true while transactions are open, so that another pass is due soon.
  virtual bool run_maintenance() noexcept = 0;

  OpenEngine& opened() final { return *this; }
};

}  // namespace tenon::data
