#pragma once

#include <exception>
#include <functional>
#include <string_view>

#include "data/transaction.hpp"

namespace tenon::data {

/// What an engine puts behind a Transaction; its calls are those of Transaction, which is the only
/// one who makes them.
class TransactionState {
 public:
  TransactionState() = default;
  virtual ~TransactionState() = default;
  TransactionState(const TransactionState&) = delete;
  TransactionState& operator=(const TransactionState&) = delete;

  virtual ExecResult exec(std::string_view sql, Cells cells) = 0;
  virtual void exec_as_host(std::string_view sql, Cells cells) = 0;
  virtual Rows query(std::string_view sql, Cells cells) = 0;
  virtual Cursor open_cursor(std::string_view sql, Cells cells, const BatchLimits& limits) = 0;
  virtual void commit() = 0;
  virtual void commit_async(std::function<void(std::exception_ptr)> done) = 0;
  virtual void rollback() noexcept = 0;
  virtual bool is_open() const noexcept = 0;
};

}  // namespace tenon::data
