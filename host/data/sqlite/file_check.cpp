#include "data/sqlite/file_check.hpp"

#include <condition_variable>
#include <string>
#include <utility>
#include <vector>

#include <malloc.h>
#include <sqlite3.h>

#include "data/sqlite/sqlite_error.hpp"

namespace tenon::data::sqlite {

namespace {

// One at a time: together they would keep the disk from whoever works.
struct Turns {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_taken = false;
};
Turns& turns() {
  static Turns& all = *new Turns;
  return all;
}

}  // namespace

FileCheck::FileCheck(Connection::Options options, std::function<void(const SqlError&)> on_error)
    : options_(std::move(options)),
      on_error_(std::move(on_error)),
      result_(promise_.get_future().share()),
      thread_([this] { run(); }) {}

FileCheck::~FileCheck() {
  {
    const std::lock_guard lock(turns().mutex);
    is_stopping_ = true;
    if (connection_) sqlite3_interrupt(connection_->handle());
  }
  turns().changed.notify_all();
  thread_.join();
}

void FileCheck::run() noexcept {
  Turns& all = turns();
  {
    std::unique_lock lock(all.mutex);
    all.changed.wait(lock, [&] { return is_stopping_ || !all.is_taken; });
    if (is_stopping_) {
      promise_.set_value();
      return;
    }
    all.is_taken = true;
  }
  try {
    check();
    promise_.set_value();
  } catch (const SqlError& error) {
    on_error_(error);
    promise_.set_exception(std::current_exception());
  } catch (...) {  // no memory: statements find damage too
    promise_.set_value();
  }
  {
    const std::lock_guard lock(all.mutex);
    all.is_taken = false;
  }
  all.changed.notify_all();
  // Its pages were many, and this thread's.
  ::malloc_trim(0);
}

bool FileCheck::show(Connection* connection) {
  const std::lock_guard lock(turns().mutex);
  connection_ = connection;
  return is_stopping_;
}

void FileCheck::check() {
  Connection connection(options_);
  if (show(&connection)) {
    show(nullptr);
    return;
  }
  std::vector<std::string> findings;
  try {
    findings = connection.check(true, 1);
  } catch (...) {
    show(nullptr);
    throw;
  }
  const int code = sqlite3_errcode(connection.handle());
  if (show(nullptr) || findings.empty()) return;
  if (code == SQLITE_OK || code == SQLITE_DONE || is_corruption(code))
    throw damaged_error(findings.front());
  throw sqlite_error(connection.handle(), code);
}

}  // namespace tenon::data::sqlite
