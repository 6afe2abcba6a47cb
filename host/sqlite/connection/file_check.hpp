#pragma once

#include <functional>
#include <future>

#include "data/sql_error.hpp"
#include "sqlite/connection/connection.hpp"

namespace tenon::data::sqlite {

/// Checks a whole file and its indexes (integrity_check) in the background, while others use it.
/// One thread checks the files of a process one after the other, and ends after the last one.
class FileCheck {
 public:
  /// Begins. `on_error` is called by that thread, at most once: with data.corrupt, or with why the
  /// file could not be read through. `on_sound` likewise, where nothing was found; may be empty.
  /// `options` are those of a reader.
  FileCheck(Connection::Options options, std::function<void(const SqlError&)> on_error,
            std::function<void()> on_sound = {});
  /// Cancels the check; returns once the thread no longer uses it.
  ~FileCheck();
  FileCheck(const FileCheck&) = delete;
  FileCheck& operator=(const FileCheck&) = delete;

  /// Waits for the end. Throws the error that `on_error` received. Any thread.
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
