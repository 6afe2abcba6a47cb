#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/parser/multipart_parser.hpp"

namespace tenon::http::test {

/// A part of a form as it was given out.
struct Part {
  std::string name;
  std::string file_name;
  std::string content_type;
  std::string data;
  bool has_file_name = false;
  bool is_whole = false;

  bool operator==(const Part&) const = default;
};

/// Keeps what a MultipartParser gives out, and sees whether it comes in order: a head, data that is
/// not empty, an end.
class CollectedParts final : public PartSink {
 public:
  void on_part(const PartHead& head) override {
    expect(all.empty() || all.back().is_whole);
    all.push_back({std::string(head.name),
                   std::string(head.file_name),
                   std::string(head.content_type),
                   {},
                   head.has_file_name,
                   false});
  }
  void on_data(std::string_view bytes) override {
    if (expect(is_open() && !bytes.empty())) all.back().data += bytes;
  }
  void on_part_end() override {
    if (expect(is_open())) all.back().is_whole = true;
  }

  std::vector<Part> all;
  bool is_in_order = true;

 private:
  bool is_open() const noexcept { return !all.empty() && !all.back().is_whole; }
  bool expect(bool holds) noexcept {
    is_in_order = is_in_order && holds;
    return holds;
  }
};

}  // namespace tenon::http::test
