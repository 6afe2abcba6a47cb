#include "http_client/exchange.hpp"

#include <algorithm>
#include <limits>

#include <Poco/Exception.h>
#include <boost/beast/http/basic_parser.hpp>

#include "http/parser/ascii.hpp"
#include "http_client/failure.hpp"
#include "http_client/limits.hpp"
#include "http_client/url.hpp"

namespace tenon::http_client {

namespace {

namespace beast = boost::beast;
namespace bhttp = boost::beast::http;
using ErrorCode = beast::error_code;
using Kind = Failure::Kind;

constexpr std::size_t receive_bytes = std::size_t{64} * 1024;

std::string text_of(beast::string_view text) {
  return {text.data(), text.size()};
}

class ResponseParser final : public bhttp::basic_parser<false> {
 public:
  ResponseParser(const ResponseSink& sink, std::uint64_t max_bytes, bool has_no_body)
      : sink_(sink), max_bytes_(max_bytes), has_no_body_(has_no_body) {
    eager(true);
    skip(has_no_body);
    header_limit(Limits::head);
    // Enforced below: the content of a redirect does not count.
    body_limit(std::numeric_limits<std::uint64_t>::max());
  }

  bool is_interim() const noexcept { return head_.status < 200; }
  bool is_unwanted() const noexcept { return is_unwanted_; }

 private:
  void on_request_impl(bhttp::verb, beast::string_view, beast::string_view, int,
                       ErrorCode&) override {}
  void on_response_impl(int status, beast::string_view reason, int, ErrorCode&) override {
    head_.status = status;
    head_.reason = text_of(reason);
  }
  void on_field_impl(bhttp::field, beast::string_view name, beast::string_view value,
                     ErrorCode& error) override {
    if (head_.fields.size() == Limits::head_fields) {
      error = bhttp::error::header_limit;
      return;
    }
    head_.fields.push_back({text_of(name), text_of(value)});
  }
  void on_header_impl(ErrorCode& error) override {
    if (is_interim()) return;
    // Beast reads other codings to the end of the connection.
    if (head_.find("Transfer-Encoding") != nullptr && !chunked()) {
      error = bhttp::error::bad_transfer_encoding;
      return;
    }
    if (const auto length = content_length()) head_.length = *length;
    if (!sink_.on_head(head_)) {
      is_unwanted_ = true;
      error = bhttp::error::end_of_stream;
      return;
    }
    if (!has_no_body_ && head_.length && *head_.length > max_bytes_) refuse_size();
  }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) override {}
  std::size_t on_body_impl(beast::string_view bytes, ErrorCode&) override { return take(bytes); }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, ErrorCode&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view bytes, ErrorCode&) override {
    return take(bytes);
  }
  void on_finish_impl(ErrorCode&) override {}

  std::size_t take(beast::string_view bytes) {
    if (bytes.size() > max_bytes_ - size_) refuse_size();
    size_ += bytes.size();
    sink_.on_body({bytes.data(), bytes.size()});
    return bytes.size();
  }
  [[noreturn]] void refuse_size() const {
    throw Failure(Kind::too_large, "The response has more than " + std::to_string(max_bytes_) +
                                       " bytes, which is the limit.");
  }

  const ResponseSink& sink_;
  const std::uint64_t max_bytes_;
  const bool has_no_body_;
  std::uint64_t size_ = 0;
  ResponseHead head_;
  bool is_unwanted_ = false;
};

std::string head_of(const Request& request) {
  std::string text(request.method);
  ((text += ' ') += request.url.target) += " HTTP/1.1\r\nHost: ";
  text += request.url.authority();
  text += "\r\nConnection: close\r\n";
  for (const Field& field : request.fields)
    (((text += field.name) += ": ") += field.value) += "\r\n";
  const bool has_body = !request.body.empty() || request.method == "POST" ||
                        request.method == "PUT" || request.method == "PATCH";
  if (has_body) (text += "Content-Length: ") += std::to_string(request.body.size()) + "\r\n";
  return text += "\r\n";
}

void send(Poco::Net::StreamSocket& socket, std::string_view bytes) {
  while (!bytes.empty()) {
    constexpr auto max_piece = static_cast<std::size_t>(std::numeric_limits<int>::max());
    const int sent =
        socket.sendBytes(bytes.data(), static_cast<int>(std::min(bytes.size(), max_piece)));
    if (sent <= 0) throw Failure(Kind::unreachable, "The connection was lost.");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

// Reads responses until one that is final is complete.
class Reader {
 public:
  Reader(Poco::Net::StreamSocket& socket, const Bounds& bounds)
      : socket_(socket), bounds_(bounds) {}

  // Returns whether that was an interim response.
  bool read(ResponseParser& parser) {
    while (!parser.is_done() && !parser.is_unwanted()) {
      if (parse(parser)) continue;
      if (is_at_end_) {
        if (!parser.got_some())
          throw Failure(Kind::invalid, "The server closed the connection without a response.");
        ErrorCode error;
        parser.put_eof(error);
        if (error || !parser.is_done()) throw Failure(Kind::invalid, "The response is cut off.");
        break;
      }
      // Beast limits the head, but neither the line of a chunk nor the trailers.
      if (waiting_.size() > Limits::head)
        throw Failure(Kind::invalid, "The line of a chunk or the trailers exceed 64 KiB.");
      receive();
    }
    return parser.is_done() && parser.is_interim();
  }

 private:
  // Returns whether that took anything.
  bool parse(ResponseParser& parser) {
    if (waiting_.empty()) return false;
    ErrorCode error;
    const std::size_t taken =
        parser.put(boost::asio::const_buffer(waiting_.data(), waiting_.size()), error);
    waiting_.erase(0, taken);
    if (parser.is_unwanted()) return true;
    if (error && error != bhttp::error::need_more)
      throw Failure(Kind::invalid, "The response is not valid HTTP: " + error.message() + ".");
    return taken > 0;
  }

  void receive() {
    const int got = socket_.receiveBytes(piece_.data(), static_cast<int>(piece_.size()));
    require_time(bounds_);
    is_at_end_ = got <= 0;
    if (!is_at_end_) waiting_.append(piece_.data(), static_cast<std::size_t>(got));
  }

  Poco::Net::StreamSocket& socket_;
  const Bounds& bounds_;
  std::string piece_ = std::string(receive_bytes, '\0');
  std::string waiting_;
  bool is_at_end_ = false;
};

}  // namespace

const std::string* ResponseHead::find(std::string_view name) const noexcept {
  const auto found = std::find_if(fields.begin(), fields.end(), [name](const Field& field) {
    return http::equals_ignoring_case(field.name, name);
  });
  return found == fields.end() ? nullptr : &found->value;
}

void exchange(const Request& request, const Bounds& bounds, const AddressCheck& is_allowed,
              std::uint64_t max_bytes, const ResponseSink& sink) {
  Connection connection(request.url, bounds, is_allowed);
  try {
    send(connection.socket(), head_of(request));
    send(connection.socket(), request.body);
    Reader reader(connection.socket(), bounds);
    for (int interim = 0; interim <= Limits::interim_responses; ++interim) {
      ResponseParser parser(sink, max_bytes, request.method == "HEAD");
      if (!reader.read(parser)) return;
    }
  } catch (const Poco::Exception& failure) {
    fail_connection(failure, bounds);
  }
  throw Failure(Kind::invalid, "There are too many interim responses.");
}

bool is_redirect(int status) noexcept {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace tenon::http_client
