#include "data/engine/counters.hpp"

namespace tenon::data {

Statistics read(const Counters& counters) noexcept {
  Statistics sum;
  const auto get = [](const Counters::Count& count) {
    return count.load(std::memory_order_relaxed);
  };
  sum.reads = get(counters.reads);
  sum.writes = get(counters.writes);
  sum.groups = get(counters.groups);
  sum.max_group_size = get(counters.max_group_size);
  sum.rolled_back = get(counters.rolled_back);
  sum.group_rolled_back = get(counters.group_rolled_back);
  sum.expired = get(counters.expired);
  sum.busy = get(counters.busy);
  sum.timeouts = get(counters.timeouts);
  sum.disk_full = get(counters.disk_full);
  sum.checkpoints = get(counters.checkpoints);
  sum.commit_time = counters.commit_time.read();
  sum.write_queue_time = counters.write_queue_time.read();
  for (std::size_t i = 0; i < sum.group_size.size(); ++i)
    sum.group_size[i] = get(counters.group_size[i]);
  return sum;
}

}  // namespace tenon::data
