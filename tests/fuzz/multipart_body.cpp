// A form with files. The first line is its Content-Type; a bad one is replaced, so that the rest is
// read all the same.

#include <algorithm>

#include "base/utf8.hpp"
#include "http/parser/multipart_parser.hpp"
#include "http/tests/collected_parts.hpp"
#include "property.hpp"

namespace {

using namespace tenon::http;

using tenon::http::test::CollectedParts;
using tenon::http::test::Part;

struct Outcome {
  const Refusal* refusal = nullptr;
  std::vector<Part> parts;
};

MultipartLimits small_limits() {
  return {.parts = 5, .part_head = 300, .name = 20, .file_name = 30};
}

Outcome parse(std::string_view boundary, std::string_view body, std::size_t step) {
  CollectedParts parts;
  MultipartParser parser(boundary, parts, small_limits());
  const Refusal* refusal = nullptr;
  for (std::size_t at = 0; at < body.size() && refusal == nullptr; at += step) {
    const tenon::fuzz::Piece piece(body.substr(at, step));
    refusal = parser.feed(piece.get());
  }
  TENON_HOLDS(refusal == nullptr || parser.finish() == refusal);
  Outcome outcome{parser.finish(), parts.all};
  TENON_HOLDS(parts.is_in_order);
  return outcome;
}

// Returns the parts that a search for the boundary alone finds.
std::vector<std::string> data_by_search(std::string_view boundary, std::string_view body) {
  const std::string delimiter = "\r\n--" + std::string(boundary);
  const std::string text = "\r\n" + std::string(body);
  std::vector<std::string> all;
  for (std::size_t at = text.find(delimiter); at != std::string::npos;) {
    at += delimiter.size();
    if (text.compare(at, 2, "--") == 0) return all;
    const std::size_t line = text.find("\r\n\r\n", at);
    TENON_HOLDS(line != std::string::npos);
    at = text.find(delimiter, line + 2);
    TENON_HOLDS(at != std::string::npos);
    all.push_back(at < line + 4 ? std::string() : text.substr(line + 4, at - line - 4));
  }
  return all;
}

std::string quoted(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"') text += '\\';
    text += c;
  }
  return text + '"';
}

void check_reparse(const std::vector<Part>& parts) {
  std::string boundary = "b";
  const auto is_used = [&] {
    return std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
      return part.data.find(boundary) != std::string::npos;
    });
  };
  while (is_used() && boundary.size() < MultipartLimits::boundary)
    boundary += static_cast<char>('0' + boundary.size() % 10);
  if (is_used()) return;
  std::string body;
  for (const Part& part : parts) {
    body += "--" + boundary + "\r\nContent-Disposition: form-data; name=" + quoted(part.name);
    if (part.has_file_name) body += "; filename=" + quoted(part.file_name);
    body += "\r\n";
    if (!part.content_type.empty()) body += "Content-Type:" + part.content_type + "\r\n";
    body += "\r\n" + part.data + "\r\n";
  }
  CollectedParts again;
  MultipartLimits limits = small_limits();
  limits.part_head += 100;
  MultipartParser parser(boundary, again, limits);
  TENON_HOLDS(parser.feed(body + "--" + boundary + "--") == nullptr);
  TENON_HOLDS(parser.finish() == nullptr);
  TENON_HOLDS(again.is_in_order && again.all == parts);
}

void check_parts(const std::vector<Part>& parts) {
  const MultipartLimits limits = small_limits();
  TENON_HOLDS(parts.size() <= limits.parts);
  for (const Part& part : parts) {
    TENON_HOLDS(!part.name.empty() && part.name.size() <= limits.name);
    TENON_HOLDS(part.file_name.size() <= limits.file_name);
    TENON_HOLDS(part.has_file_name || part.file_name.empty());
    for (const std::string& text : {part.name, part.file_name}) {
      TENON_HOLDS(tenon::base::is_valid_utf8(text));
      TENON_HOLDS(std::none_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
      }));
    }
    TENON_HOLDS(part.content_type.find_first_of("\r\n") == std::string::npos);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view body = tenon::fuzz::text_of(data, size);
  const std::string_view type = tenon::fuzz::take_line(body);
  std::string boundary;
  if (read_boundary(type, boundary) != nullptr) boundary = "b";
  TENON_HOLDS(!boundary.empty() && boundary.size() <= MultipartLimits::boundary);
  TENON_HOLDS(boundary.find_first_of("\r\n\"\\") == std::string::npos && boundary.back() != ' ');

  const Outcome whole = parse(boundary, body, body.size() + 1);
  for (const std::size_t step : {std::size_t{1}, type.size() + 2}) {
    const Outcome other = parse(boundary, body, step);
    TENON_HOLDS(other.refusal == whole.refusal && other.parts == whole.parts);
  }
  check_parts(whole.parts);
  if (whole.refusal != nullptr) return 0;
  TENON_HOLDS(!whole.parts.empty());
  const std::vector<std::string> found = data_by_search(boundary, body);
  TENON_HOLDS(found.size() == whole.parts.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    TENON_HOLDS(whole.parts[i].is_whole && whole.parts[i].data == found[i]);
  check_reparse(whole.parts);
  return 0;
}
