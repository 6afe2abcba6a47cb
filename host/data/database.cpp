#include "data/database.hpp"

#include <utility>

#include <sys/stat.h>
#include <sys/statvfs.h>

#include "data/engine.hpp"

namespace tenon::data {

namespace {

std::uint64_t size_of(const std::string& path) noexcept {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 ? static_cast<std::uint64_t>(facts.st_size) : 0;
}

}  // namespace

std::string_view code_of(Fault fault) noexcept {
  switch (fault) {
    case Fault::sync_failed:
      return "data.storage_failed";
    case Fault::corrupt:
      return "data.corrupt";
    case Fault::disk_full:
      return "data.disk_full";
    case Fault::io_failed:
      return "data.io";
    case Fault::healed:
      break;
  }
  return {};
}

Database::Database(DatabaseOptions options)
    : engine_(std::make_shared<Engine>(std::move(options))) {
  engine_->start();
}

Database::~Database() {
  close();
}

void Database::close() noexcept {
  engine_->close();
}

Transaction Database::begin(Mode mode, std::chrono::milliseconds timeout) {
  return engine_->begin(mode, timeout);
}

void Database::run_write(void (*work)(void*, Transaction&), void* context,
                         std::chrono::milliseconds timeout) {
  WriteJob job{work, context, 0, nullptr};
  engine_->run_write(job, timeout);
}

void Database::queue(std::unique_ptr<QueuedWrite> write, std::chrono::milliseconds timeout) {
  engine_->queue(std::move(write), timeout);
}

ExecResult Database::exec(std::string_view sql, Cells cells, std::chrono::milliseconds timeout) {
  return write([&](Transaction& transaction) { return transaction.exec(sql, cells); }, timeout);
}

Rows Database::query(std::string_view sql, Cells cells, std::chrono::milliseconds timeout) {
  return engine_->query(sql, cells, timeout, true);
}

std::size_t Database::append_json(JsonShape shape, JsonText& text, std::string_view sql,
                                  Cells cells, std::chrono::milliseconds timeout) {
  return engine_->query(sql, cells, timeout, false).append_json(shape, text);
}

Cursor Database::open_cursor(std::string_view sql, Cells cells, const BatchLimits& limits,
                             std::chrono::milliseconds timeout) {
  return engine_->open_cursor(sql, cells, limits, timeout);
}

std::vector<std::string> Database::quick_check(int most) {
  std::vector<std::string> findings;
  engine_->read_aside([&](Connection& connection) { findings = connection.check(false, most); });
  return findings;
}

Statistics Database::statistics() const {
  return engine_->statistics();
}

FileFacts Database::file_facts() const {
  FileFacts facts;
  facts.bytes = size_of(path());
  facts.log_bytes = size_of(path() + "-wal");
  struct statvfs disk {};
  if (::statvfs(path().c_str(), &disk) == 0) {
    facts.free_bytes = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  }
  return facts;
}

void Database::on_commit(std::function<void()> tell) {
  engine_->set_on_commit(std::move(tell));
}

const std::string& Database::path() const noexcept {
  return engine_->options().path;
}

}  // namespace tenon::data
