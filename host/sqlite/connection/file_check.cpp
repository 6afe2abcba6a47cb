#include "sqlite/connection/file_check.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <malloc.h>
#include <sqlite3.h>

#include "sqlite/connection/sqlite_error.hpp"

namespace tenon::data::sqlite {

// Checks one file at a time, on one thread: checks of several files at once would slow the
// requests, and a thread for each file would be a thousand threads with a thousand plugins.
class Checker {
 public:
  static Checker& only() {
    static Checker& checker = *new Checker;
    return checker;
  }

  void add(FileCheck& check) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(&check);
    if (has_thread_) return;
    try {
      std::thread([this] { run(); }).detach();
    } catch (...) {
      waiting_.pop_back();
      throw;
    }
    has_thread_ = true;
  }

  void remove(FileCheck& check) {
    std::unique_lock lock(mutex_);
    if (std::erase(waiting_, &check) != 0) return;
    check.is_stopping_ = true;
    if (check.connection_) sqlite3_interrupt(check.connection_->handle());
    released_.wait(lock, [&] { return current_ != &check; });
  }

  std::mutex& mutex() noexcept { return mutex_; }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!waiting_.empty()) {
      current_ = waiting_.front();
      waiting_.pop_front();
      lock.unlock();
      current_->run();
      lock.lock();
      current_ = nullptr;
      released_.notify_all();
    }
    has_thread_ = false;
    lock.unlock();
    // Their pages were many, and this thread's.
    ::malloc_trim(0);
  }

  std::mutex mutex_;
  std::condition_variable released_;
  std::deque<FileCheck*> waiting_;
  FileCheck* current_ = nullptr;  // written with the lock, by the thread
  bool has_thread_ = false;
};

FileCheck::FileCheck(Connection::Options options, std::function<void(const SqlError&)> on_error,
                     std::function<void()> on_sound)
    : options_(std::move(options)),
      on_error_(std::move(on_error)),
      on_sound_(std::move(on_sound)),
      result_(promise_.get_future().share()) {
  Checker::only().add(*this);
}

FileCheck::~FileCheck() {
  Checker::only().remove(*this);
}

void FileCheck::run() noexcept {
  try {
    check();
    promise_.set_value();
  } catch (const SqlError& error) {
    on_error_(error);
    promise_.set_exception(std::current_exception());
  } catch (...) {  // no memory: statements find damage too
    promise_.set_value();
  }
}

bool FileCheck::show(Connection* connection) {
  const std::lock_guard lock(Checker::only().mutex());
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
    if (show(nullptr)) return;
    throw;
  }
  show(nullptr);
  if (!findings.empty()) throw damaged_error(findings.front());
  if (on_sound_) on_sound_();
}

}  // namespace tenon::data::sqlite
