#include "data/errors.hpp"

#include "base/error.hpp"

namespace tenon::data {

base::Error closed_error() {
  return {503, "data.closed", "The database is closed."};
}

base::Error busy_error() {
  return {503, "data.busy", "Too many wait for the database; try again in a moment."};
}

base::Error busy_error(std::string_view holder, std::int64_t nanoseconds) {
  return {503, "data.busy",
          std::string(holder) + " has held the database's write lock for " +
              std::to_string(nanoseconds / 1'000'000'000) + " s; try again in a moment."};
}

base::Error expired_error() {
  return {503, "data.transaction_expired",
          "The transaction took too long and was undone; try again."};
}

base::Error ended_error() {
  return {500, "data.transaction_over", "The transaction has already ended; begin another."};
}

base::Error group_rolled_back_error() {
  return {503, "data.group_rolled_back",
          "The change was undone because another change of the same commit failed; try again."};
}

base::Error storage_failed_error() {
  return {
      503, "data.storage_failed",
      "The disk did not confirm a write; nothing more is written until the file is opened again."};
}

}  // namespace tenon::data
