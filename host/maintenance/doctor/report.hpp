#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::console {

enum class Severity : std::uint8_t {
  note,     ///< worth knowing
  warning,  ///< will hurt some day, or under load
  error     ///< hurts now: data, safety or service
};

/// "note", "warning", "error"
std::string_view to_string(Severity severity) noexcept;

/// One thing that tenon doctor found.
struct Finding {
  Severity severity = Severity::note;
  std::string code;   ///< stable: "data.open_to_others"
  std::string where;  ///< a file, a key, a plugin
  std::string what;   ///< one sentence
  std::string todo;   ///< what to do
};

/// The checks of tenon doctor and their findings, in order.
class Report {
 public:
  /// Begins a check; further findings belong to it.
  void begin(std::string check);
  /// Sets what was checked, in a few words; shown also when nothing was found.
  void summarize(std::string summary);
  void add(Finding finding);
  void error(std::string code, std::string where, std::string what, std::string todo);
  void warning(std::string code, std::string where, std::string what, std::string todo);
  void note(std::string code, std::string where, std::string what, std::string todo);

  struct Check {
    std::string name;
    std::string summary;
    std::vector<Finding> findings;
  };
  const std::vector<Check>& checks() const noexcept { return checks_; }
  std::size_t count(Severity severity) const noexcept;
  /// Returns true without errors; warnings do not count.
  bool is_healthy() const noexcept { return count(Severity::error) == 0; }

  /// For people, in lines.
  std::string text() const;
  /// {"healthy":…,"errors":n,"warnings":n,"checks":[{"check","summary","findings":[{"severity",
  /// "code","where","what","todo"}]}]}
  std::string json() const;

 private:
  std::vector<Check> checks_;
};

}  // namespace tenon::console
