#include "observability/trace.hpp"

#include <chrono>
#include <random>
#include <utility>

namespace tenon::observability {

namespace {

// Ids of traces need not be secret, only different.
std::uint64_t random_number() noexcept {
  thread_local std::mt19937_64 generator = [] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }();
  const std::uint64_t number = generator();
  return number == 0 ? 1 : number;
}

void write_hex(char* out, std::uint64_t number) noexcept {
  static constexpr char digits[] = "0123456789abcdef";
  for (int i = 15; i >= 0; --i, number >>= 4)
    out[i] = digits[number & 15];
}

std::int64_t unix_nanoseconds() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Trace::Trace(const TraceParent* parent)
    : to_unix_(unix_nanoseconds() - base::monotonic_nanoseconds()),
      first_id_(random_number()),
      next_id_(first_id_ + 1),
      current_(first_id_) {
  if (parent != nullptr) {
    id_ = parent->trace_id;
    parent_ = parent->span_id;
    has_parent_ = true;
  } else {
    write_hex(id_.data(), random_number());
    write_hex(id_.data() + 16, random_number());
  }
}

std::uint64_t Trace::enter() noexcept {
  const std::uint64_t id = next_id_.fetch_add(1, std::memory_order_relaxed);
  current_.store(id, std::memory_order_relaxed);
  return id;
}

void Trace::leave(std::uint64_t span, const char* name, std::int64_t begin) noexcept {
  current_.store(first_id_, std::memory_order_relaxed);
  Span made;
  made.id = span;
  made.parent = first_id_;
  made.name = name;
  made.begin = begin;
  made.end = base::monotonic_nanoseconds();
  push(std::move(made));
}

void Trace::add(const char* name, std::int64_t begin, std::int64_t end, std::string_view statement,
                std::string_view database, bool has_failed) noexcept {
  try {
    Span span;
    span.id = next_id_.fetch_add(1, std::memory_order_relaxed);
    span.parent = current_.load(std::memory_order_relaxed);
    span.name = name;
    span.begin = begin;
    span.end = end;
    span.statement = statement.substr(0, max_statement_bytes);
    span.database = database;
    span.has_failed = has_failed;
    push(std::move(span));
  } catch (...) {  // no memory: the span is lost, the request is not
  }
}

void Trace::push(Span span) noexcept {
  const std::lock_guard lock(mutex_);
  if (spans_.size() >= max_spans) {
    ++dropped_;
    return;
  }
  try {
    spans_.push_back(std::move(span));
  } catch (...) {
    ++dropped_;
  }
}

}  // namespace tenon::observability
