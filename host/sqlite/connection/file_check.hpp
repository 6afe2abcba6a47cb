#pragma once

#include <functional>
#include <future>

#include "data/sql_error.hpp"
#include "sqlite/connection/connection.hpp"

namespace tenon::data::sqlite {

/// Looks through a whole file and its indexes (integrity_check) in the background, while others
/// work with it. The files of a process take turns on one thread, which ends with the last of them.
class FileCheck {
 public:
  /// Begins. `on_error` is called by that thread, at most once: with data.corrupt, or with why the
  /// file could not be read through. `on_sound` likewise, where nothing was found; may be empty.
  /// `options` are those of a reader.
  FileCheck(Connection::Options options, std::function<void(const SqlError&)> on_error,
            std::function<void()> on_sound = {});
  /// Breaks it off; returns when the thread has let go of it.
  ~FileCheck();
  FileCheck(const FileCheck&) = delete;
  FileCheck& operator=(const FileCheck&) = delete;

  /// Waits for the end and throws what on_error was told of. Any thread.
  void wait() const { result_.get(); }

 private:
  void run() noexcept;
  void check();
  /// Whom to interrupt. True when it is to stop.
  bool show(Connection* connection);

  friend class Checker;

  const Connection::Options options_;
  const std::function<void(const SqlError&)> on_error_;
  const std::function<void()> on_sound_;
  std::promise<void> promise_;
  const std::shared_future<void> result_;
  Connection* connection_ = nullptr;  // while it checks; under the mutex of the checker
  bool is_stopping_ = false;          // the same
};

}  // namespace tenon::data::sqlite
