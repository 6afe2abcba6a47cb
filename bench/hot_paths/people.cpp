#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "exchange.hpp"
#include "http/connection/output.hpp"
#include "http/event_stream/sse_stream.hpp"
#include "identity/sessions/authenticator.hpp"
#include "identity/sessions/cookie.hpp"
#include "path.hpp"
#include "rooms.hpp"
#include "routing/context.hpp"
#include "shell/shell.hpp"

namespace tenon::bench {

namespace {

constexpr std::size_t subscribers = 100;
constexpr std::size_t max_waiting = 256 * 1024;

Maker session() {
  struct Setup {
    Rooms rooms;
    std::string cookie = "theme=dark; " + std::string(identity::session_cookie_name(false)) + "=" +
                         rooms.sign_in("ada").token;
  };
  const auto setup = std::make_shared<Setup>();
  return one_thread([setup] {
    const identity::PrincipalPtr principal =
        setup->rooms.identity.authenticator().authenticate({.cookie = setup->cookie});
    if (!principal) throw std::runtime_error("the session is not known");
    keep(principal);
  });
}

// The exchange that opens a live channel, of which only the channel stays.
class Opening final : public LoneExchange {
 public:
  Opening(std::shared_ptr<http::Mailbox> mailbox, identity::PrincipalPtr principal)
      : mailbox_(std::move(mailbox)) {
    request_.path = "/api/core/events";
    request_.query = "topics=core.plugins,core.session";
    context_.principal = std::move(principal);
  }

  std::shared_ptr<http::SseStream> channel;

  std::shared_ptr<http::EventStream> begin_events() override {
    return channel = std::make_shared<http::SseStream>(mailbox_, max_waiting);
  }

 private:
  const std::shared_ptr<http::Mailbox> mailbox_;
};

// The shell's live channel with its subscribers, whose connections are left out: what waits for
// them is taken as they would take it.
class Broadcast {
 public:
  Broadcast()
      : shell_({.directory = rooms_.folder.path(), .name = "bench"}, rooms_.router, rooms_.bus,
               rooms_.identity.authenticator(), rooms_.identity.permissions(), rooms_.live, {}) {
    mailbox_->make_current();
    const auto& routes = rooms_.router.current().find("/api/core/events")->routes;
    for (std::size_t i = 0; i < subscribers; ++i) {
      Opening opening(mailbox_, std::make_shared<const identity::Principal>(identity::Principal{
                                    .user_id = "ada",
                                    .login = "ada",
                                    .name = "Ada",
                                    .role = identity::Role::member,
                                    .session_id = "session" + std::to_string(i)}));
      routes->routes()[0].handler->handle(http::ExchangePtr(&opening));
      channels_.push_back(opening.channel);
    }
    if (take() == 0) throw std::runtime_error("no channel said hello");
  }
  ~Broadcast() {
    for (const auto& channel : channels_)
      channel->lost();
    http::Mailbox::make_none_current();
  }
  Broadcast(const Broadcast&) = delete;
  Broadcast& operator=(const Broadcast&) = delete;

  void publish() {
    rooms_.bus.publish("core.plugins", R"({"id":"notes","state":"disabled","generation":7})");
    if (take() < subscribers * 60) throw std::runtime_error("not all subscribers were notified");
  }

 private:
  std::uint64_t take() {
    mailbox_->deliver_all();
    std::uint64_t bytes = 0;
    for (const auto& channel : channels_) {
      channel->take(output_);
      bytes += output_.pending();
      output_.clear();
      channel->sent(0);
    }
    return bytes;
  }

  Rooms rooms_;
  shell::Shell shell_;
  const std::shared_ptr<http::Mailbox> mailbox_ = std::make_shared<http::Mailbox>();
  http::BufferPool pool_;
  http::Output output_{pool_};
  std::vector<std::shared_ptr<http::SseStream>> channels_;
};

Maker broadcast() {
  const auto setup = std::make_shared<Broadcast>();
  return one_thread([setup] { setup->publish(); });
}

}  // namespace

std::vector<Path> people_paths() {
  return {
      {"session", "name the principal of a session cookie", 2000, session},
      {"broadcast", "send a plugin's change to 100 event streams", 100, broadcast},
  };
}

}  // namespace tenon::bench
