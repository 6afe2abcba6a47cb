#include "http/connection/inline_run.hpp"

#include "http/loop/loop.hpp"

namespace tenon::http {

InlineRun::InlineRun(Loop& loop, const LoopDriver& driver, const ActiveExchange& exchange) noexcept
    : loop_(loop), driver_(driver), exchange_(exchange) {
  current_ = this;
  Loop::be_none_current();
  set_current(this);
  driver_.yield(LoopOwner::YieldTimeout::of_inline_handler);
}

InlineRun::~InlineRun() {
  current_ = nullptr;
  // Its loop is another thread's: there is no other runner here.
  if (base::InlineExecutor::current() == this) set_current(nullptr);
}

bool InlineRun::end() noexcept {
  if (!driver_.take_back()) return false;
  loop_.be_current();
  return true;
}

bool InlineRun::take(base::InlineTask& task) noexcept {
  const LoopReclaim reclaim(this);
  return reclaim && loop_.take(task);
}

}  // namespace tenon::http
