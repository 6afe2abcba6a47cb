#include "data/transaction.hpp"

#include <utility>

#include "data/engine/transaction_state.hpp"
#include "data/errors.hpp"

namespace tenon::data {

namespace {

TransactionState& opened(const std::shared_ptr<TransactionState>& state) {
  if (!state) throw ended_error();
  return *state;
}

}  // namespace

Transaction::Transaction(std::shared_ptr<TransactionState> state) noexcept
    : state_(std::move(state)) {}
Transaction::Transaction(Transaction&& other) noexcept = default;

Transaction& Transaction::operator=(Transaction&& other) noexcept {
  if (this != &other) {
    rollback();
    state_ = std::move(other.state_);
  }
  return *this;
}

Transaction::~Transaction() {
  rollback();
}

ExecResult Transaction::exec(std::string_view sql, Cells cells) {
  return opened(state_).exec(sql, cells);
}

void Transaction::exec_as_host(std::string_view sql, Cells cells) {
  opened(state_).exec_as_host(sql, cells);
}

Rows Transaction::query(std::string_view sql, Cells cells) {
  return opened(state_).query(sql, cells);
}

Cursor Transaction::open_cursor(std::string_view sql, Cells cells, const BatchLimits& limits) {
  return opened(state_).open_cursor(sql, cells, limits);
}

void Transaction::commit() {
  opened(state_).commit();
}

void Transaction::commit_async(std::function<void(std::exception_ptr)> done) {
  opened(state_).commit_async(std::move(done));
}

void Transaction::rollback() noexcept {
  if (state_) state_->rollback();
}

bool Transaction::is_open() const noexcept {
  return state_ && state_->is_open();
}

}  // namespace tenon::data
