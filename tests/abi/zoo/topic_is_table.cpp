// Declares the topic that its table of that name has already.
#include <tenon/plugin.hpp>

namespace {

class TopicIsTable : public tenon::Plugin {
 public:
  explicit TopicIsTable(tenon::Host& host) : Plugin(host) { host.events().declare("boards"); }
};

}  // namespace

TENON_PLUGIN(TopicIsTable)
