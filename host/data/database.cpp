#include "data/database.hpp"

#include <utility>

#include "base/error.hpp"
#include "data/engine/engine.hpp"
#include "data/engine/engine_factory.hpp"

namespace tenon::data {

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

namespace {

std::shared_ptr<Engine> open(DatabaseOptions options) {
  if (options.postgresql) return postgresql_factory().open(std::move(options));
  return sqlite_factory().open(std::move(options));
}

}  // namespace

Database::Database(DatabaseOptions options)
    : engine_(open(std::move(options))), handle_(engine_->first_handle()) {}

Database::Database(std::shared_ptr<Engine> engine, std::shared_ptr<Handle> handle) noexcept
    : engine_(std::move(engine)), handle_(std::move(handle)) {}

Database::~Database() {
  close();
}

void Database::close() noexcept {
  engine_->close_handle(*handle_);
}

void Database::leave_wal() noexcept {
  engine_->leave_wal();
}

std::shared_ptr<Database> Database::share(Handle::OnFault on_fault) {
  handle_->require_open();
  return std::make_shared<Database>(engine_, engine_->open_handle(std::move(on_fault)));
}

bool Database::pause_writes(std::chrono::milliseconds timeout) {
  return engine_->pause_writes(*handle_, timeout);
}

void Database::resume_writes() {
  engine_->resume_writes(*handle_);
}

void Database::reject_writes(const base::Error& error) {
  handle_->reject_writes(error);
}

void Database::set_on_fault(Handle::OnFault on_fault) {
  handle_->set_on_fault(std::move(on_fault));
}

OpenEngine& Database::engine() {
  handle_->require_open();
  return engine_->opened();
}

Transaction Database::begin(Mode mode, std::chrono::milliseconds timeout) {
  return engine_->begin(mode, timeout, *handle_);
}

void Database::run_write(void (*work)(void*, Transaction&), void* context,
                         std::chrono::milliseconds timeout) {
  engine_->run_write({work, context}, timeout, *handle_);
}

void Database::queue(std::unique_ptr<QueuedWrite> write, std::chrono::milliseconds timeout) {
  engine_->queue(std::move(write), timeout, *handle_);
}

ExecResult Database::exec(std::string_view sql, Cells cells, std::chrono::milliseconds timeout) {
  return write([&](Transaction& transaction) { return transaction.exec(sql, cells); }, timeout);
}

Rows Database::query(std::string_view sql, Cells cells, std::chrono::milliseconds timeout) {
  handle_->require_open();
  return engine_->query(sql, cells, timeout);
}

std::size_t Database::append_json(JsonShape shape, JsonText& text, std::string_view sql,
                                  Cells cells, std::chrono::milliseconds timeout) {
  handle_->require_open();
  return engine_->append_json(shape, text, sql, cells, timeout);
}

Cursor Database::open_cursor(std::string_view sql, Cells cells, const BatchLimits& limits,
                             std::chrono::milliseconds timeout) {
  handle_->require_open();
  return engine_->open_cursor(sql, cells, limits, timeout, *handle_);
}

std::vector<std::string> Database::quick_check(int max_findings) {
  handle_->require_open();
  return engine_->quick_check(max_findings);
}

void Database::begin_check() {
  engine_->begin_check();
}

std::optional<CleanClose> Database::clean_close() const {
  return engine_->clean_close();
}

Statistics Database::statistics() const {
  return engine_->statistics();
}

FileFacts Database::file_facts() const {
  return engine_->file_facts();
}

void Database::on_commit(std::function<void()> notify, const void* owner) {
  engine_->set_on_commit(std::move(notify), owner);
}

const std::string& Database::path() const noexcept {
  return engine_->path();
}

Dialect Database::dialect() const noexcept {
  return engine_->dialect();
}

}  // namespace tenon::data
