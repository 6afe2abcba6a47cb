#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "http/connection/exchange.hpp"
#include "routing/context.hpp"

namespace tenon::bench {

/// An exchange without an HTTP server: nothing is read, sent or counted. Its creator owns it.
class LoneExchange : public http::Exchange {
 public:
  const http::Request& request() const noexcept override { return request_; }
  http::Attachment* attachment() const noexcept override { return &context_; }
  http::Response& draft() noexcept override { return draft_; }
  bool respond(http::Response&&) override { return false; }
  bool begin(http::Response, std::uint64_t) override { return false; }
  http::WriteResult write(std::string_view) override { return http::WriteResult::closed; }
  bool end() override { return false; }
  void abort() override {}
  void on_writable(std::function<void()>) override {}
  std::shared_ptr<http::EventStream> begin_events() override { return nullptr; }
  void read_body(std::unique_ptr<http::BodySink>) override {}
  bool closed() const noexcept override { return false; }

 protected:
  http::Request request_;
  mutable routing::CallContext context_;
  http::Response draft_;

 private:
  void add_ref() noexcept override {}
  void release() noexcept override {}
};

}  // namespace tenon::bench
