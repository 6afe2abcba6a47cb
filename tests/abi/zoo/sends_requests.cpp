// No fault: sends the requests that it is asked for, from a handler, a job and a thread.
#include <chrono>
#include <string>

#include <tenon/plugin.hpp>

namespace {

using tenon::JobRun;
using tenon::Json;
using tenon::Request;
using tenon::Response;

tenon::HttpRequest request_of(const Json& asked) {
  tenon::HttpRequest request;
  request.url = asked.at("url").get<std::string>();
  request.method = asked.value("method", "GET");
  request.body = asked.value("body", "");
  request.timeout = std::chrono::milliseconds(asked.value("timeout_ms", 0));
  request.max_response_bytes = asked.value("max_bytes", std::uint64_t{0});
  request.follow_redirects = asked.value("follow", true);
  const Json headers = asked.value("headers", Json::object());
  for (const auto& [name, value] : headers.items())
    request.headers.emplace_back(name, value.get<std::string>());
  return request;
}

class SendsRequests : public tenon::Plugin {
 public:
  explicit SendsRequests(tenon::Host& host) : Plugin(host) {
    host.http().post("/send", tenon::access::everyone, [this](const Request& request) {
      const tenon::HttpResponse response =
          this->host().http_client().send(request_of(request.json()));
      return Response::json({{"status", response.status()},
                             {"url", response.url()},
                             {"type", std::string(response.header("content-type"))},
                             {"body", response.body()}});
    });
    host.jobs().on("send", [this](const JobRun& run) {
      this->host().http_client().send(request_of(run.payload<Json>()));
    });
    host.http().post("/job", tenon::access::everyone, [this](const Request& request) {
      return Response::json({{"id", this->host().jobs().enqueue("send", request.json()).id}});
    });
  }
};

}  // namespace

TENON_PLUGIN(SendsRequests)
