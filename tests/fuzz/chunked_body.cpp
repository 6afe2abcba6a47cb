// A chunked body, decoded at any pace. The first byte says in which pieces it comes.

#include <algorithm>
#include <cstdio>

#include "http/parser/chunked_decoder.hpp"
#include "property.hpp"

namespace {

using tenon::http::ChunkedDecoder;

struct Outcome {
  std::string body;
  std::string rest;
  bool is_complete = false;
  bool has_failed = false;

  bool operator==(const Outcome&) const = default;
};

Outcome decode(std::string_view bytes, std::size_t step) {
  ChunkedDecoder decoder;
  Outcome outcome;
  std::string waiting;
  std::size_t at = 0;
  while (!outcome.is_complete && !outcome.has_failed) {
    const tenon::fuzz::Piece piece(waiting);
    const ChunkedDecoder::Step result = decoder.next(piece.get());
    TENON_HOLDS(result.consumed <= waiting.size());
    TENON_HOLDS(tenon::fuzz::is_within(result.data, piece.get().substr(0, result.consumed)));
    TENON_HOLDS(!(result.is_complete && result.has_failed));
    outcome.body += result.data;
    waiting.erase(0, result.consumed);
    outcome.is_complete = result.is_complete;
    outcome.has_failed = result.has_failed;
    if (result.consumed > 0 || outcome.is_complete || outcome.has_failed) continue;
    TENON_HOLDS(waiting.size() <= ChunkedDecoder::max_line);
    if (at >= bytes.size()) break;
    waiting += bytes.substr(at, step);
    at += step;
  }
  // Remaining bytes count only after a whole body, where the next request begins.
  if (outcome.is_complete) {
    outcome.rest = waiting;
    if (at < bytes.size()) outcome.rest += bytes.substr(at);
  }
  if (outcome.has_failed) outcome.body.clear();
  return outcome;
}

void check_encoded(std::string_view body, std::size_t step) {
  std::string bytes;
  for (std::size_t at = 0; at < body.size(); at += step) {
    const std::string_view chunk = body.substr(at, step);
    char size[20];
    std::snprintf(size, sizeof size, "%zX", chunk.size());
    bytes.append(size).append("\r\n").append(chunk).append("\r\n");
  }
  bytes += "0\r\n\r\nGET /next";
  const Outcome outcome = decode(bytes, step + 1);
  TENON_HOLDS(outcome.is_complete && outcome.body == body && outcome.rest == "GET /next");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = tenon::fuzz::text_of(data + 1, size - 1);
  const std::size_t step = data[0] % 32U + 1;
  const Outcome whole = decode(bytes, bytes.size() + 1);
  TENON_HOLDS(decode(bytes, step) == whole);
  if (bytes.size() <= 300) TENON_HOLDS(decode(bytes, 1) == whole);
  TENON_HOLDS(whole.body.size() + whole.rest.size() <= bytes.size());
  check_encoded(bytes.substr(0, 400), step);
  return 0;
}
