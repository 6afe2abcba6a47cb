#include "http_client/client.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "http/parser/ascii.hpp"
#include "http_client/failure.hpp"
#include "http_client/limits.hpp"
#include "observability/log.hpp"
#include "observability/metrics.hpp"
#include "observability/trace.hpp"

namespace tenon::http_client {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds default_timeout{10'000};
constexpr std::uint64_t default_response = std::uint64_t{1024} * 1024;

// Fields that exchange() writes, or that would change the connection.
constexpr std::array<std::string_view, 11> own_fields{"Connection",
                                                      "Content-Length",
                                                      "Expect",
                                                      "Host",
                                                      "Keep-Alive",
                                                      "TE",
                                                      "Trailer",
                                                      "Transfer-Encoding",
                                                      "Proxy-Authorization",
                                                      "Proxy-Connection",
                                                      "Upgrade"};
// Fields that another origin must not see.
constexpr std::array<std::string_view, 2> secret_fields{"Authorization", "Cookie"};
// Fields about a body that a redirect drops.
constexpr std::array<std::string_view, 4> body_fields{"Content-Type", "Content-Encoding",
                                                      "Content-Language", "Content-Location"};

template <std::size_t count>
bool is_one_of(std::string_view name, const std::array<std::string_view, count>& names) {
  return std::any_of(names.begin(), names.end(), [name](std::string_view one) {
    return http::equals_ignoring_case(one, name);
  });
}

[[noreturn]] void refuse_request(const std::string& message) {
  throw base::Error(500, "http_client.invalid", message);
}

void check(const ClientRequest& request, const ClientOptions& options) {
  if (request.method.empty() || request.method.size() > 32 ||
      !http::all_in(request.method, http::token_character) || request.method == "CONNECT" ||
      request.method == "TRACE")
    refuse_request(
        "The method of an outgoing request is a token such as GET, and not CONNECT or "
        "TRACE.");
  if (request.fields.size() > Limits::fields)
    refuse_request("An outgoing request has at most " + std::to_string(Limits::fields) +
                   " header fields.");
  for (const Field& field : request.fields) {
    if (field.name.empty() || !http::all_in(field.name, http::token_character))
      refuse_request("An outgoing request has a header field whose name is not a token.");
    if (is_one_of(field.name, own_fields))
      refuse_request("The host sets the header field \"" + field.name +
                     "\" of outgoing requests itself.");
    if (field.name.size() + field.value.size() > Limits::field_bytes ||
        !http::all_in(field.value, http::value_character))
      refuse_request("The header field \"" + field.name +
                     "\" of an outgoing request is larger than 8 KiB or has control characters.");
  }
  if (request.body.size() > Limits::request_body)
    throw base::Error(413, "http_client.request_too_large",
                      "The body of an outgoing request has at most 16 MiB.");
  if (request.timeout < milliseconds(0) || request.timeout > options.max_timeout)
    refuse_request("The timeout of an outgoing request is at most " +
                   std::to_string(options.max_timeout.count()) + " ms (outgoing.timeout).");
  if (request.max_response > options.max_response)
    refuse_request("The response to an outgoing request may have at most " +
                   std::to_string(options.max_response) + " bytes (outgoing.max_response).");
}

void require_allowed(const ClientRequest& request, const Url& url, bool is_redirect) {
  if (std::any_of(request.allowed.begin(), request.allowed.end(),
                  [&url](const OriginPattern& one) { return one.matches(url); }))
    return;
  const std::string origin = (url.is_secure ? "https://" : "http://") + url.authority();
  throw base::Error(403, "http_client.not_allowed",
                    std::string(is_redirect ? "The server redirects to " : "The plugin may not ") +
                        (is_redirect ? "" : "send requests to ") + origin +
                        (is_redirect ? ", which" : ": it") +
                        " is not in \"outgoing\" of its plugin.json.");
}

base::Error error_of(const Failure& failure, const Url& url) {
  const std::string message = url.authority() + ": " + failure.what();
  switch (failure.kind()) {
    case Failure::Kind::address_refused:
      return {403, "http_client.address_refused",
              message +
                  " Addresses that are not public are refused; the admin can allow a network "
                  "by outgoing.networks."};
    case Failure::Kind::invalid:
      return {502, "http_client.response_invalid", message};
    case Failure::Kind::too_large:
      return {502, "http_client.too_large", message};
    case Failure::Kind::timeout:
      return {504, "http_client.timeout", message};
    case Failure::Kind::cancelled:
      return {503, "http_client.cancelled", message};
    case Failure::Kind::unreachable:
      break;
  }
  return {502, "http_client.unreachable", message};
}

// Counts a call while it runs.
class Running {
 public:
  Running(std::atomic<std::size_t>& count, std::size_t max, const char* whose) : count_(count) {
    if (count_.fetch_add(1) < max) return;
    --count_;
    throw base::Error(503, "http_client.busy",
                      "There are " + std::to_string(max) + " outgoing requests of " + whose +
                          " already. Try again later.");
  }
  ~Running() { --count_; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  std::atomic<std::size_t>& count_;
};

// The host of a URL, for the log; never its path, query or user.
std::string host_for_log(std::string_view text) {
  try {
    return parse_url(text).authority();
  } catch (const base::Error&) {
    return "?";
  }
}

// One request with its redirects.
class Journey {
 public:
  Journey(const ClientRequest& request, const ClientOptions& options,
          const ReachableAddresses& reachable)
      : request_(request),
        reachable_(reachable),
        method_(request.method),
        body_(request.body),
        fields_(request.fields),
        url_(parse_url(request.url)),
        max_bytes_(request.max_response != 0
                       ? request.max_response
                       : std::min<std::uint64_t>(default_response, options.max_response)) {
    const milliseconds timeout = request.timeout.count() != 0
                                     ? request.timeout
                                     : std::min(default_timeout, options.max_timeout);
    bounds_ = {steady_clock::now() + timeout, request.stop, timeout};
    add_default("User-Agent", "Tenon (" + std::string(request.plugin) + ")");
    add_default("Accept-Encoding", "identity");
    add_default("Accept", "*/*");
    require_allowed(request, url_, false);
  }

  ClientResponse run() {
    for (int redirects = 0; redirects <= Limits::redirects; ++redirects) {
      response_ = {};
      response_.url = url_.text();
      std::string location;
      attempt(location);
      if (location.empty()) return std::move(response_);
      redirect(location);
    }
    throw base::Error(502, "http_client.too_many_redirects",
                      url_.authority() + ": The server redirects more than " +
                          std::to_string(Limits::redirects) + " times.");
  }

 private:
  void add_default(std::string_view name, std::string value) {
    const bool is_set = std::any_of(fields_.begin(), fields_.end(), [name](const Field& field) {
      return http::equals_ignoring_case(field.name, name);
    });
    if (!is_set) fields_.push_back({std::string(name), std::move(value)});
  }

  void attempt(std::string& location) {
    ResponseSink sink;
    sink.on_head = [&](const ResponseHead& head) {
      const std::string* to = head.find("Location");
      if (request_.follows_redirects && is_redirect(head.status) && to != nullptr) {
        response_.status = head.status;
        location = *to;
        return false;
      }
      response_.status = head.status;
      response_.fields = head.fields;
      return true;
    };
    sink.on_body = [this](std::string_view piece) { response_.body += piece; };
    try {
      exchange(
          {method_, url_, fields_, body_}, bounds_,
          [this](const Poco::Net::IPAddress& one) { return reachable_.contains(one); }, max_bytes_,
          sink);
    } catch (const Failure& failure) {
      throw error_of(failure, url_);
    }
  }

  void redirect(const std::string& location) {
    Url to = resolve(url_, location);
    if (url_.is_secure && !to.is_secure)
      throw base::Error(403, "http_client.not_allowed",
                        "The server redirects from https to http://" + to.authority() +
                            ", which is not protected.");
    require_allowed(request_, to, true);
    const int status = response_.status;
    const bool becomes_get = (status == 303 && method_ != "HEAD") ||
                             ((status == 301 || status == 302) && method_ == "POST");
    if (becomes_get) {
      method_ = "GET";
      body_ = {};
      drop(body_fields);
    }
    if (!to.has_origin_of(url_)) drop(secret_fields);
    url_ = std::move(to);
  }

  template <std::size_t count>
  void drop(const std::array<std::string_view, count>& names) {
    std::erase_if(fields_, [&names](const Field& field) { return is_one_of(field.name, names); });
  }

  const ClientRequest& request_;
  const ReachableAddresses& reachable_;
  std::string_view method_;
  std::string_view body_;
  std::vector<Field> fields_;
  Url url_;
  std::uint64_t max_bytes_;
  Bounds bounds_;
  ClientResponse response_;
};

}  // namespace

Client::Client(const ClientOptions& options, observability::Metrics& metrics)
    : options_(options), reachable_(options.networks), metrics_(metrics) {}

ClientResponse Client::send(const ClientRequest& request, std::atomic<std::size_t>& running) {
  const auto begin = steady_clock::now();
  const auto seconds = [begin] {
    return std::chrono::duration<double>(steady_clock::now() - begin).count();
  };
  try {
    check(request, options_);
    const Running of_plugin(running, options_.plugin_calls, "this plugin");
    const Running of_all(running_, options_.all_calls, "all plugins");
    ClientResponse response;
    {
      const observability::SpanTimer timer("outgoing http request");
      response = Journey(request, options_, reachable_).run();
    }
    count(request.plugin, std::to_string(response.status / 100) + "xx", seconds());
    return response;
  } catch (const base::Error& error) {
    count(request.plugin, error.code().substr(error.code().find('.') + 1), seconds());
    const observability::LogScope scope(observability::current_request_id(), request.plugin);
    observability::log_warning(
        "outgoing request failed",
        {{"host", host_for_log(request.url)}, {"code", error.code()}, {"reason", error.message()}});
    throw;
  }
}

void Client::count(std::string_view plugin, std::string_view result, double seconds) {
  metrics_
      .counter("tenon_http_client_requests_total",
               "Requests of plugins to other servers, by class of status or by error.",
               {{"plugin", plugin}, {"result", result}})
      .add();
  metrics_
      .histogram("tenon_http_client_request_seconds",
                 "Duration of requests of plugins to other servers.", {{"plugin", plugin}})
      .observe(seconds);
}

}  // namespace tenon::http_client
