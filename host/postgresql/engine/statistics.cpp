#include <numeric>

#include "postgresql/engine/engine.hpp"

namespace tenon::data::postgresql {

Statistics Engine::statistics() const {
  Statistics sum = common_statistics();
  sum.readers = readers_->open();
  sum.statement_time = times_->read();
  sum.statements = std::accumulate(sum.statement_time.counts.begin(),
                                   sum.statement_time.counts.end(), std::uint64_t{0});
  return sum;
}

// The files are the server's, which has its own metrics.
FileFacts Engine::file_facts() const {
  return {};
}

}  // namespace tenon::data::postgresql
