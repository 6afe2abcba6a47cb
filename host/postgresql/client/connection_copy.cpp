#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include <poll.h>

#include "base/clock.hpp"
#include "postgresql/client/connection.hpp"
#include "postgresql/client/server_error.hpp"

namespace tenon::data::postgresql {

void Connection::wait_for(short events, std::int64_t deadline) {
  constexpr std::int64_t millisecond = 1'000'000;
  const std::int64_t left = deadline - base::monotonic_nanoseconds();
  if (left <= 0) {
    cancel();
    is_broken_ = true;
    throw SqlError(503, "data.timeout",
                   "The database did not respond in time; the statement was cancelled.", 0,
                   "a COPY did not continue before its deadline");
  }
  constexpr std::int64_t poll_limit = 60'000;
  pollfd waiting{libpq().socket(connection_), events, 0};
  ::poll(&waiting, 1, static_cast<int>(std::min(left / millisecond + 1, poll_limit)));
}

void Connection::begin_copy(const std::string& sql, std::int64_t deadline, ExecStatusType wanted) {
  if (is_broken_) throw lost_error("the connection is lost");
  is_cancelled_ = is_too_large_ = false;
  received_ = 0;
  if (libpq().sendQuery(connection_, sql.c_str()) != 1) give_up(libpq().errorMessage(connection_));
  const Result result = next_result(deadline);
  if (result && libpq().resultStatus(result.get()) == wanted) return;
  if (!result || libpq().resultStatus(result.get()) != PGRES_FATAL_ERROR)
    give_up("this is no statement that copies");
  const SqlError error = server_error(result.get(), !is_read_only_);
  while (next_result(deadline)) {
  }
  throw SqlError(error);
}

std::int64_t Connection::end_copy(std::int64_t deadline) {
  std::optional<SqlError> error;
  std::int64_t rows = 0;
  while (const Result result = next_result(deadline)) {
    if (libpq().resultStatus(result.get()) == PGRES_FATAL_ERROR)
      error = server_error(result.get(), !is_read_only_);
    rows = std::strtoll(libpq().cmdTuples(result.get()), nullptr, 10);
  }
  if (libpq().status(connection_) != CONNECTION_OK) is_broken_ = true;
  used_at_ = base::monotonic_nanoseconds();
  if (error) throw SqlError(std::move(*error));
  return rows;
}

std::int64_t Connection::copy_out(const std::string& sql, std::int64_t deadline,
                                  const TakePiece& take) {
  begin_copy(sql, deadline, PGRES_COPY_OUT);
  for (;;) {
    char* bytes = nullptr;
    const int size = libpq().getCopyData(connection_, &bytes, 1);
    if (size < 0) break;
    if (size == 0) {
      wait_for(POLLIN, deadline);
      if (libpq().consumeInput(connection_) != 1) give_up(libpq().errorMessage(connection_));
      continue;
    }
    const std::unique_ptr<char, decltype(Libpq::freemem)> piece(bytes, libpq().freemem);
    try {
      take({bytes, static_cast<std::size_t>(size)});
    } catch (...) {
      cancel();
      is_broken_ = true;
      throw;
    }
  }
  return end_copy(deadline);
}

// Everything that was put is with the kernel.
void Connection::flush(std::int64_t deadline) {
  for (;;) {
    const int left = libpq().flush(connection_);
    if (left == 0) return;
    if (left < 0) give_up(libpq().errorMessage(connection_));
    wait_for(POLLIN | POLLOUT, deadline);
    // Unread messages would stop the server from reading.
    if (libpq().consumeInput(connection_) != 1) give_up(libpq().errorMessage(connection_));
  }
}

std::int64_t Connection::copy_in(const std::string& sql, std::int64_t deadline,
                                 const GivePiece& give) {
  begin_copy(sql, deadline, PGRES_COPY_IN);
  for (;;) {
    std::string_view piece;
    try {
      piece = give();
    } catch (...) {
      is_broken_ = true;
      throw;
    }
    if (piece.empty()) break;
    if (libpq().putCopyData(connection_, piece.data(), static_cast<int>(piece.size())) != 1)
      give_up(libpq().errorMessage(connection_));
    flush(deadline);
  }
  if (libpq().putCopyEnd(connection_, nullptr) != 1) give_up(libpq().errorMessage(connection_));
  flush(deadline);
  return end_copy(deadline);
}

}  // namespace tenon::data::postgresql
