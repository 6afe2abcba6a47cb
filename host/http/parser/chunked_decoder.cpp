#include "http/parser/chunked_decoder.hpp"

#include <cstdint>

#include <boost/beast/http/basic_parser.hpp>

namespace tenon::http {

namespace beast = boost::beast;
namespace bhttp = boost::beast::http;

class ChunkedDecoder::Implementation final : public bhttp::basic_parser<true> {
 public:
  Implementation() {
    static constexpr std::string_view head =
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    body_limit(~std::uint64_t{0});
    ErrorCode error;
    put(boost::asio::const_buffer(head.data(), head.size()), error);
  }

  std::string_view data;
  std::uint64_t chunk_left = 0;  // bytes of the current chunk that have not come

 private:
  using ErrorCode = beast::error_code;

  // Beast takes anything inside a quoted extension value; a bare LF there is read as a line end
  // elsewhere.
  void on_chunk_header_impl(std::uint64_t size, beast::string_view extension,
                            ErrorCode& error) override {
    chunk_left = size;
    for (const char c : extension) {
      const auto byte = static_cast<unsigned char>(c);
      if ((byte < 0x20 && byte != '\t') || byte == 0x7F) error = bhttp::error::bad_chunk_extension;
    }
  }

  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view bytes, ErrorCode&) override {
    data = {bytes.data(), bytes.size()};
    chunk_left -= bytes.size();
    return bytes.size();
  }

  void on_request_impl(bhttp::verb, beast::string_view, beast::string_view, int,
                       ErrorCode&) override {}
  void on_response_impl(int, beast::string_view, int, ErrorCode&) override {}
  void on_field_impl(bhttp::field, beast::string_view, beast::string_view, ErrorCode&) override {}
  void on_header_impl(ErrorCode&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) override {}
  std::size_t on_body_impl(beast::string_view, ErrorCode&) override { return 0; }
  void on_finish_impl(ErrorCode&) override {}
};

namespace {

// Beast looks for the end of a quoted value beyond the end of the line.
bool has_open_quote(std::string_view input) noexcept {
  if (input.starts_with("\r\n")) input.remove_prefix(2);
  const std::size_t end = input.find('\n');
  if (end == std::string_view::npos) return false;
  bool is_open = false;
  for (std::size_t i = 0; i < end; ++i) {
    if (input[i] == '"')
      is_open = !is_open;
    else if (input[i] == '\\' && is_open)
      ++i;
  }
  return is_open;
}

bool has_folded_line(std::string_view trailer) noexcept {
  return trailer.find("\r\n ") != std::string_view::npos ||
         trailer.find("\r\n\t") != std::string_view::npos;
}

}  // namespace

ChunkedDecoder::ChunkedDecoder() : implementation_(std::make_unique<Implementation>()) {}
ChunkedDecoder::~ChunkedDecoder() = default;
ChunkedDecoder::ChunkedDecoder(ChunkedDecoder&&) noexcept = default;
ChunkedDecoder& ChunkedDecoder::operator=(ChunkedDecoder&&) noexcept = default;

ChunkedDecoder::Step ChunkedDecoder::next(std::string_view input) {
  Step step;
  // Between chunks at least "0\r\n\r\n" must come, and Beast asserts on less.
  const bool is_between = implementation_->chunk_left == 0;
  if (input.empty() || (is_between && input.size() < 5)) return step;
  implementation_->data = {};
  beast::error_code error;
  step.consumed =
      implementation_->put(boost::asio::const_buffer(input.data(), input.size()), error);
  step.data = implementation_->data;
  // The same bound for a line that came whole and for one that is still coming.
  const std::size_t line = step.consumed == 0 ? input.size() : step.consumed - step.data.size();
  step.has_failed = (error && error != bhttp::error::need_more) || line > max_line;
  step.is_complete = !step.has_failed && implementation_->is_done();
  if (is_between && step.consumed == 0 && has_open_quote(input)) step.has_failed = true;
  if (step.is_complete && has_folded_line(input.substr(0, step.consumed))) {
    step.has_failed = true;
    step.is_complete = false;
  }
  return step;
}

}  // namespace tenon::http
