#include "order_key.hpp"

#include <algorithm>
#include <cstddef>

namespace tasks {

std::string key_after(const std::string& key) {
  if (key.empty()) return "a0";
  static const std::string digits =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const char head = key[0];
  // The head says how long the whole part is: a…z count up from two, Z…A the same below zero.
  const auto length = static_cast<std::size_t>(head >= 'a' ? head - 'a' + 2 : 'Z' - head + 2);
  std::string whole = key.substr(0, std::min(length, key.size()));
  for (std::size_t at = whole.size(); at-- > 1;) {
    const std::size_t digit = digits.find(whole[at]);
    if (digit + 1 < digits.size()) {
      whole[at] = digits[digit + 1];
      return whole;
    }
    whole[at] = digits[0];
  }
  if (head == 'Z') return "a0";
  if (head == 'z') return key + "V";
  whole[0] = static_cast<char>(head + 1);
  if (head >= 'a')
    whole += digits[0];
  else
    whole.pop_back();
  return whole;
}

}  // namespace tasks
