#pragma once

#include <concepts>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>

#include <tenon/deferred.hpp>
#include <tenon/http.h>

namespace tenon {

/// A type that receives a streamed body; see Request::read_body().
template <class T>
concept BodyReader = std::movable<T> && requires(T& reader, std::string_view piece) {
  reader.data(piece);
  { reader.end() } -> std::same_as<Response>;
};

namespace detail {

template <class Reader>
class BodySink {
 public:
  BodySink(Link& link, tenon_handle request, Deferred deferred, Reader reader)
      : link_(&link),
        request_(request),
        deferred_(std::move(deferred)),
        reader_(std::move(reader)) {}

  static tenon_code data(void* ctx, tenon_span bytes) noexcept {
    auto& self = *static_cast<BodySink*>(ctx);
    if (!self.deferred_) return TENON_E_STATE;
    return self.guarded([&] { self.reader_.data(view(bytes)); });
  }

  static void end(void* ctx, tenon_code how) noexcept {
    auto& self = *static_cast<BodySink*>(ctx);
    if (!self.deferred_) return;
    self.guarded([&] {
      switch (how) {
        case TENON_OK:
          return self.deferred_.respond(self.reader_.end());
        case TENON_E_TOO_LARGE:
          throw Error(413, "request.too_large", "The body is too large.");
        case TENON_E_TIMEOUT:
          throw Error(408, "request.timeout", "The body arrived too slowly. Send it again.");
        default:
          self.deferred_.abandon();
      }
    });
  }

  static void drop(void* ctx) noexcept { delete static_cast<BodySink*>(ctx); }

 private:
  template <class F>
  tenon_code guarded(F&& work) noexcept {
    try {
      try {
        work();
        return TENON_OK;
      } catch (const Error& error) {
        if (error.status() >= 500)
          link_->report(TENON_LOG_ERROR, "reading a body failed", error.message(), request_);
        if (deferred_) deferred_.fail(error);
      } catch (const std::exception& error) {
        link_->report(TENON_LOG_ERROR, "reading a body failed", error.what(), request_);
        if (deferred_)
          deferred_.fail(
              {500, "plugin.failed", "An error occurred on the server. Try again later."});
      }
    } catch (...) {
      link_->report(TENON_LOG_ERROR, "reading a body failed", {}, request_);
    }
    return TENON_E_INVALID;
  }

  Link* link_;
  tenon_handle request_;
  Deferred deferred_;
  Reader reader_;
};

template <class Reader>
void start_reading(Link& link, tenon_handle request, Deferred deferred, Reader reader) {
  using Sink = BodySink<Reader>;
  const tenon_http& http = link.need<tenon_http>(TENON_NEED(tenon_http, read_body), "read_body");
  const tenon_http_body_sink sink{&Sink::data, &Sink::end,
                                  new Sink(link, request, std::move(deferred), std::move(reader)),
                                  &Sink::drop};
  check(http.read_body(link.host(), request, &sink), "reading the body");
}

}  // namespace detail
}  // namespace tenon
