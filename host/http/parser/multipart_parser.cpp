#include "http/parser/multipart_parser.hpp"

#include <algorithm>
#include <utility>

#include "http/parser/ascii.hpp"
#include "http/parser/part_head.hpp"

namespace tenon::http {

namespace {

constexpr Refusal not_a_form{415, "http.not_multipart",
                             "The body must be multipart/form-data with one boundary."};
constexpr Refusal bad_boundary{
    400, "http.bad_boundary", "The boundary of the form is not 1 to 70 of the allowed characters."};
constexpr Refusal bad_delimiter{400, "http.bad_part_delimiter",
                                "A boundary of the form is not on a line of its own."};
constexpr Refusal cut_off{400, "http.multipart_cut_off", "The form ends before its last boundary."};
constexpr Refusal bytes_after{400, "http.multipart_epilogue",
                              "The form continues after its last boundary."};
constexpr Refusal no_parts{400, "http.multipart_empty", "The form has no part."};
constexpr Refusal too_many_parts{413, "http.too_many_parts", "The form has too many parts."};
constexpr Refusal part_head_too_large{413, "http.part_head_too_large",
                                      "The head of a part of the form is too large."};

constexpr std::string_view part_line_end = "\r\n";

bool is_boundary_character(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("'()+_,-./:=? ").find(c) != std::string_view::npos;
}

}  // namespace

const Refusal* read_boundary(std::string_view content_type, std::string& boundary) {
  boundary.clear();
  std::string_view rest = trimmed(content_type);
  const std::string_view type = trimmed(rest.substr(0, rest.find(';')));
  if (!equals_ignoring_case(type, "multipart/form-data")) return &not_a_form;
  rest.remove_prefix(std::min(rest.find(';'), rest.size()));
  bool has_boundary = false;
  std::string_view name;
  for (std::string value; !rest.empty();) {
    if (!take_parameter(rest, name, value)) return &not_a_form;
    if (!equals_ignoring_case(name, "boundary")) continue;
    if (has_boundary) return &not_a_form;
    has_boundary = true;
    boundary = std::move(value);
  }
  if (!has_boundary) return &not_a_form;
  const bool is_good = !boundary.empty() && boundary.size() <= MultipartLimits::boundary &&
                       boundary.back() != ' ' &&
                       std::all_of(boundary.begin(), boundary.end(), is_boundary_character);
  return is_good ? nullptr : &bad_boundary;
}

// The body begins as if a line had ended there, so that the first boundary is one like the others.
MultipartParser::MultipartParser(std::string_view boundary, PartSink& sink,
                                 const MultipartLimits& limits)
    : delimiter_(part_line_end), sink_(sink), limits_(limits), matched_(2), unsent_(2) {
  delimiter_.append("--").append(boundary);
}

const Refusal* MultipartParser::feed(std::string_view bytes) {
  while (!bytes.empty() && refusal_ == nullptr) {
    if (state_ == State::data) {
      feed_data(bytes);
    } else if (state_ == State::head) {
      feed_head(bytes);
    } else {
      const char byte = bytes.front();
      bytes.remove_prefix(1);
      feed_byte(byte);
    }
  }
  return refusal_;
}

const Refusal* MultipartParser::finish() {
  if (refusal_ == nullptr && state_ != State::end && state_ != State::closed) refuse(cut_off);
  return refusal_;
}

void MultipartParser::give(std::string_view bytes) {
  if (!bytes.empty()) sink_.on_data(bytes);
}

// A CR is the first byte of the delimiter and occurs nowhere else in it: where a match breaks, a
// new one can only begin at the byte that broke it.
void MultipartParser::feed_data(std::string_view& bytes) {
  const bool is_in_front = parts_ == 0;
  std::size_t at = 0;
  std::size_t carried = matched_;  // of the match, what came in earlier pieces
  while (at < bytes.size()) {
    if (matched_ == 0) {
      at = std::min(bytes.find('\r', at), bytes.size());
      if (at == bytes.size()) break;
      matched_ = 1;
      ++at;
    } else if (bytes[at] == delimiter_[matched_]) {
      ++at;
      if (++matched_ == delimiter_.size()) break;
    } else if (is_in_front) {
      return refuse(bad_delimiter);
    } else {
      give(std::string_view(delimiter_).substr(unsent_, carried - unsent_));
      carried = matched_ = unsent_ = 0;
    }
  }
  // A possible beginning of a delimiter waits for the next piece.
  if (!is_in_front) give(bytes.substr(0, at - (matched_ - carried)));
  bytes.remove_prefix(at);
  if (matched_ < delimiter_.size()) return;
  matched_ = unsent_ = 0;
  state_ = State::boundary_end;
  if (!is_in_front) sink_.on_part_end();
}

void MultipartParser::feed_head(std::string_view& bytes) {
  const std::size_t line = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
  if (head_.size() + line > limits_.part_head) return refuse(part_head_too_large);
  head_ += bytes.substr(0, line);
  bytes.remove_prefix(line);
  if (head_.ends_with("\r\n\r\n") || head_ == part_line_end) begin_part();
}

// The empty line may be the beginning of the next boundary already (RFC 2046: a part without a
// body).
void MultipartParser::begin_part() {
  std::string name;
  std::string file_name;
  PartHead head;
  const std::string_view fields =
      std::string_view(head_).substr(0, head_.size() - part_line_end.size());
  if (const Refusal* refusal = parse_part_head(fields, limits_, name, file_name, head))
    return refuse(*refusal);
  ++parts_;
  state_ = State::data;
  matched_ = unsent_ = part_line_end.size();
  sink_.on_part(head);
  head_.clear();
}

void MultipartParser::feed_byte(char byte) {
  switch (state_) {
    case State::boundary_end:
      if (byte != '\r' && byte != '-') return refuse(bad_delimiter);
      state_ = byte == '\r' ? State::boundary_cr : State::boundary_dash;
      return;
    case State::boundary_cr:
      if (byte != '\n') return refuse(bad_delimiter);
      if (parts_ == limits_.parts) return refuse(too_many_parts);
      state_ = State::head;
      return;
    case State::boundary_dash:
      if (byte != '-') return refuse(bad_delimiter);
      if (parts_ == 0) return refuse(no_parts);
      state_ = State::end;
      return;
    case State::end:
      if (byte != '\r') return refuse(bytes_after);
      state_ = State::end_cr;
      return;
    case State::end_cr:
      if (byte != '\n') return refuse(bytes_after);
      state_ = State::closed;
      return;
    default:
      return refuse(bytes_after);
  }
}

}  // namespace tenon::http
