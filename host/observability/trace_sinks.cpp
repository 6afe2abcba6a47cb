#include "observability/trace_sinks.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <Poco/Exception.h>
#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/NullStream.h>
#include <Poco/StreamCopier.h>
#include <Poco/Timespan.h>
#include <Poco/URI.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"

namespace tenon::observability {

TraceFile::TraceFile(std::string path, std::uint64_t max_bytes)
    : path_(std::move(path)), max_bytes_(max_bytes) {
  open();
  if (!descriptor_) {
    throw base::Error(500, "observability.trace_file",
                      "The file " + path_ + " of trace.file cannot be written: " +
                          std::generic_category().message(errno) +
                          ". Name another, or give this user the right to write there.");
  }
}

void TraceFile::open() {
  // Without O_NONBLOCK, open() would wait for a reader of a named pipe.
  descriptor_.reset(::open(
      path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  struct stat facts {};
  bytes_ = descriptor_ && ::fstat(descriptor_.get(), &facts) == 0
               ? static_cast<std::uint64_t>(facts.st_size)
               : 0;
}

bool TraceFile::write(std::string_view line) noexcept {
  if (descriptor_ && bytes_ != 0 && bytes_ + line.size() > max_bytes_) {
    descriptor_.reset();
    if (std::rename(path_.c_str(), (path_ + ".1").c_str()) != 0) return false;
  }
  if (!descriptor_) open();
  if (!descriptor_) return false;
  const std::uint64_t before = bytes_;
  while (!line.empty()) {
    const ssize_t count = ::write(descriptor_.get(), line.data(), line.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      if (::ftruncate(descriptor_.get(), static_cast<off_t>(before)) == 0) bytes_ = before;
      return false;
    }
    line.remove_prefix(static_cast<std::size_t>(count));
    bytes_ += static_cast<std::uint64_t>(count);
  }
  return true;
}

class TraceEndpoint::Session : public Poco::Net::HTTPClientSession {
 public:
  using HTTPClientSession::HTTPClientSession;
};

TraceEndpoint::TraceEndpoint(const std::string& url) {
  const Poco::URI uri(url);
  session_ = std::make_unique<Session>(uri.getHost(), uri.getPort());
  session_->setTimeout(Poco::Timespan(static_cast<long>(timeout.count()), 0));
  session_->setKeepAlive(true);
  path_ = uri.getPathEtc();
}

TraceEndpoint::~TraceEndpoint() = default;

TraceEndpoint::Result TraceEndpoint::post(std::string_view body, std::string& why) noexcept {
  try {
    Poco::Net::HTTPRequest request(Poco::Net::HTTPRequest::HTTP_POST, path_,
                                   Poco::Net::HTTPMessage::HTTP_1_1);
    request.setContentType("application/json");
    request.setContentLength64(static_cast<Poco::Int64>(body.size()));
    session_->sendRequest(request).write(body.data(), static_cast<std::streamsize>(body.size()));
    Poco::Net::HTTPResponse response;
    std::istream& reply = session_->receiveResponse(response);
    Poco::NullOutputStream nowhere;
    Poco::StreamCopier::copyStream(reply, nowhere);
    const int status = response.getStatus();
    if (status >= 200 && status < 300) return Result::taken;
    why = "it returned status " + std::to_string(status);
    const bool may_retry = status == 429 || status == 502 || status == 503 || status == 504;
    return may_retry ? Result::unreachable : Result::refused;
  } catch (const Poco::Exception& failure) {
    why = failure.displayText();
  } catch (const std::exception& failure) {
    why = failure.what();
  } catch (...) {
    why = "unknown";
  }
  try {
    session_->reset();
  } catch (...) {  // the next request makes it again
  }
  return Result::unreachable;
}

}  // namespace tenon::observability
