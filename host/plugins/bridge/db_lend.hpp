#pragma once

#include <thread>
#include <utility>

#include "base/error.hpp"
#include "plugins/bridge/db_interface.hpp"

namespace tenon::plugins {

template <typename Use>
tenon_code DbInterface::lend(data::Transaction& transaction, Use&& use) {
  Transactions::Opened opened = make_room();
  if (!opened.pin)
    throw base::Error(503, "data.busy", "This plugin has too many open transactions.");
  opened.pin->transaction.emplace(std::move(transaction));
  opened.pin->is_in_use.store(false, std::memory_order_release);
  const tenon_code code = use(opened.handle);
  const bool is_over = !opened.pin.close();
  close_cursors(*opened.pin);
  // A call that another thread still makes on it would go on behind the turn.
  while (opened.pin->is_in_use.exchange(true, std::memory_order_acquire))
    std::this_thread::yield();
  transaction = *std::exchange(opened.pin->transaction, std::nullopt);
  if (code < 0 || !is_over) return code;
  if (opened.pin->is_rolled_back) return TENON_DONE;
  throw base::Error(503, "data.closed", "The database of this plugin is closed.");
}

}  // namespace tenon::plugins
