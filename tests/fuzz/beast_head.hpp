#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/beast/http/basic_parser.hpp>

namespace tenon::fuzz {

/// A request's head as Boost.Beast's parser reads it: a second opinion on our own parser.
struct BeastHead {
  std::string method;
  std::string target;
  int version = 0;  ///< 10 or 11
  std::vector<std::pair<std::string, std::string>> fields;
  bool is_chunked = false;
  bool keep_alive = false;
  std::uint64_t content_length = 0;
};

namespace detail {

class BeastReader final : public boost::beast::http::basic_parser<true> {
 public:
  BeastReader() {
    header_limit(~std::uint32_t{0});
    body_limit(~std::uint64_t{0});
  }
  BeastHead head;

 private:
  using Code = boost::beast::error_code;
  using Text = boost::beast::string_view;
  void on_request_impl(boost::beast::http::verb, Text method, Text target, int version,
                       Code&) override {
    head.method.assign(method.data(), method.size());
    head.target.assign(target.data(), target.size());
    head.version = version;
  }
  void on_field_impl(boost::beast::http::field, Text name, Text value, Code&) override {
    head.fields.emplace_back(std::string(name.data(), name.size()),
                             std::string(value.data(), value.size()));
  }
  void on_header_impl(Code&) override {}
  void on_response_impl(int, Text, int, Code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Code&) override {}
  std::size_t on_body_impl(Text, Code&) override { return 0; }
  void on_chunk_header_impl(std::uint64_t, Text, Code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text, Code&) override { return 0; }
  void on_finish_impl(Code&) override {}
};

}  // namespace detail

/// Nothing where Beast refuses the head, or finds its end elsewhere.
inline std::optional<BeastHead> beast_head(std::string_view bytes) {
  detail::BeastReader reader;
  boost::beast::error_code error;
  const std::size_t used = reader.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (error || used != bytes.size() || !reader.is_header_done()) return std::nullopt;
  BeastHead head = std::move(reader.head);
  head.is_chunked = reader.chunked();
  head.keep_alive = reader.keep_alive();
  head.content_length = reader.content_length().value_or(0);
  return head;
}

}  // namespace tenon::fuzz
