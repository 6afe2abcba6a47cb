// A Range field against a file, with If-Range. Lines: the size, If-Range, Range.

#include <charconv>
#include <limits>

#include "http/parser/request.hpp"
#include "http/response/conditional.hpp"
#include "property.hpp"

namespace {

using namespace tenon::http;

void check(RangeKind kind, const ByteRange& range, std::uint64_t size) {
  if (kind == RangeKind::part) {
    TENON_HOLDS(range.size > 0 && range.first < size && range.size <= size - range.first);
  } else {
    TENON_HOLDS(range.first == 0 && range.size == 0);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = tenon::fuzz::text_of(data, size);
  const std::string_view length_text = tenon::fuzz::take_line(text);
  const std::string_view condition = tenon::fuzz::take_line(text);
  std::uint64_t length = 0;
  std::from_chars(length_text.data(), length_text.data() + length_text.size(), length);

  for (const std::uint64_t file :
       {length, std::uint64_t{0}, std::uint64_t{1}, std::numeric_limits<std::uint64_t>::max()}) {
    ByteRange range;
    const RangeKind kind = parse_range(text, file, range);
    check(kind, range, file);
    if (kind == RangeKind::part) {
      const std::string plain = "bytes=" + std::to_string(range.first) + "-" +
                                std::to_string(range.first + range.size - 1);
      ByteRange again;
      const bool is_short = range.first + range.size <= 999'999'999'999'999'999;
      TENON_HOLDS(!is_short || parse_range(plain, file, again) == RangeKind::part);
      TENON_HOLDS(!is_short || (again.first == range.first && again.size == range.size));
    }
    // Whole or nothing, never a part, where the condition is not the file's.
    const Field fields[] = {{"if-range", condition}, {"range", text}};
    Request request;
    request.method = Method::get;
    request.fields = fields;
    ByteRange requested;
    const RangeKind result = requested_range(request, file, "\"tag\"", 1'000'000'000, requested);
    check(result, requested, file);
    TENON_HOLDS(result == RangeKind::whole || result == kind);
    if (condition.find("tag") == std::string_view::npos &&
        condition.find("2001") == std::string_view::npos &&
        condition.find("01") == std::string_view::npos)
      TENON_HOLDS(condition.empty() || result == RangeKind::whole);
    request.method = Method::head;
    TENON_HOLDS(requested_range(request, file, "\"tag\"", 0, requested) == RangeKind::whole);
  }
  return 0;
}
