#include "observability/metrics.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <variant>

namespace tenon::observability {

namespace {

constexpr std::size_t max_shards = 16;

constexpr std::array<double, 16> seconds_bounds{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
                                                0.01,   0.025,   0.05,   0.1,   0.25,   0.5,
                                                1,      2.5,     5,      10};

enum class Kind : std::uint8_t { counter, gauge, histogram };

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::counter:
      return "counter";
    case Kind::gauge:
      return "gauge";
    case Kind::histogram:
      return "histogram";
  }
  return "untyped";
}

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

void append_metric_text(std::string& out, std::string_view text, bool in_label) {
  if (text.find_first_of("\\\n\"") == std::string_view::npos) {
    out += text;
    return;
  }
  for (const char c : text) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else if (c == '"' && in_label)
      out += "\\\"";
    else
      out += c;
  }
}

// plugin="notes",route="GET /": the series' name within its family.
std::string label_text(Labels labels, std::string_view instead_of_values = {}) {
  std::string text;
  for (const Label& label : labels) {
    if (!is_name(label.name))
      throw std::logic_error("label \"" + std::string(label.name) + "\" is no name");
    if (!text.empty()) text += ',';
    text += label.name;
    text += "=\"";
    append_metric_text(text, instead_of_values.empty() ? label.value : instead_of_values, true);
    text += '"';
  }
  return text;
}

void append_metric_number(std::string& out, double number) {
  if (std::isnan(number)) {
    out += "NaN";
  } else if (std::isinf(number)) {
    out += number > 0 ? "+Inf" : "-Inf";
  } else {
    std::array<char, 32> digits;
    out.append(digits.data(),
               std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
  }
}

void append_sample(std::string& out, std::string_view name, std::string_view suffix,
                   std::string_view labels, std::string_view more_labels,
                   const std::string& value) {
  (out += name) += suffix;
  if (!labels.empty() || !more_labels.empty()) {
    (out += '{') += labels;
    if (!labels.empty() && !more_labels.empty()) out += ',';
    (out += more_labels) += '}';
  }
  ((out += ' ') += value) += '\n';
}

std::string number_text(double number) {
  std::string text;
  append_metric_number(text, number);
  return text;
}

void append_histogram(std::string& out, std::string_view name, std::string_view labels,
                      std::span<const double> bounds, std::span<const std::uint64_t> buckets,
                      double sum) {
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    cumulative += buckets[i];
    const std::string bound = i < bounds.size() ? number_text(bounds[i]) : "+Inf";
    append_sample(out, name, "_bucket", labels, "le=\"" + bound + "\"", std::to_string(cumulative));
  }
  append_sample(out, name, "_sum", labels, {}, number_text(sum));
  append_sample(out, name, "_count", labels, {}, std::to_string(cumulative));
}

// The text that a scrape writes for one family.
struct FamilyText {
  Kind kind = Kind::gauge;
  std::string help;
  std::map<std::string, std::string> series;  // label text → lines
};
using Page = std::map<std::string, FamilyText, std::less<>>;

FamilyText& family_text(Page& page, std::string_view name, std::string_view help, Kind kind) {
  auto found = page.find(name);
  if (found == page.end())
    found = page.emplace(std::string(name), FamilyText{kind, std::string(help), {}}).first;
  return found->second;
}

class PageSink final : public MetricsSink {
 public:
  explicit PageSink(Page& page) : page_(page) {}

  void counter(std::string_view name, std::string_view help, Labels labels,
               std::uint64_t value) override {
    add(name, help, Kind::counter, label_text(labels), std::to_string(value));
  }
  void fractional_counter(std::string_view name, std::string_view help, Labels labels,
                          double value) override {
    add(name, help, Kind::counter, label_text(labels), number_text(value));
  }
  void gauge(std::string_view name, std::string_view help, Labels labels, double value) override {
    add(name, help, Kind::gauge, label_text(labels), number_text(value));
  }
  void histogram(std::string_view name, std::string_view help, Labels labels,
                 std::span<const double> bounds, std::span<const std::uint64_t> buckets,
                 double sum) override {
    const std::string key = label_text(labels);
    std::string& lines = family_text(page_, name, help, Kind::histogram).series[key];
    lines.clear();
    append_histogram(lines, name, key, bounds, buckets, sum);
  }

 private:
  void add(std::string_view name, std::string_view help, Kind kind, const std::string& labels,
           const std::string& value) {
    std::string& lines = family_text(page_, name, help, kind).series[labels];
    lines.clear();
    append_sample(lines, name, {}, labels, {}, value);
  }

  Page& page_;
};

}  // namespace

MetricShards::MetricShards() noexcept {
  static const std::size_t cores = std::min(
      std::bit_ceil(std::max<std::size_t>(std::thread::hardware_concurrency(), 1)), max_shards);
  own_ = cores;
}

Counter::Counter() : shards_(std::make_unique<Shard[]>(slots_.count())) {}

std::uint64_t Counter::value() const noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < slots_.count(); ++i)
    sum += shards_[i].value.load(std::memory_order_relaxed);
  return sum;
}

std::span<const double> duration_bounds() noexcept {
  return seconds_bounds;
}

Histogram::Histogram(std::span<const double> bounds)
    : bounds_(bounds.begin(), bounds.end()),
      lines_per_shard_((bounds.size() + 2 + 7) / 8),
      lines_(std::make_unique<Line[]>(lines_per_shard_ * slots_.count())) {
  if (!std::is_sorted(bounds_.begin(), bounds_.end()))
    throw std::logic_error("bounds of a histogram must ascend");
}

std::atomic<std::uint64_t>& Histogram::word(std::size_t shard, std::size_t index) const noexcept {
  return lines_[shard * lines_per_shard_ + index / 8].words[index % 8];
}

void Histogram::observe(double value) noexcept {
  const MetricShards::Mine mine = slots_.mine();
  // One after another: most requests are in the first few buckets.
  std::size_t bucket = 0;
  while (bucket < bounds_.size() && bounds_[bucket] < value)
    ++bucket;
  std::atomic<std::uint64_t>& count = word(mine.shard, bucket);
  std::atomic<std::uint64_t>& sum = word(mine.shard, bounds_.size() + 1);
  std::uint64_t seen = sum.load(std::memory_order_relaxed);
  const auto next = [&seen, value] {
    return std::bit_cast<std::uint64_t>(std::bit_cast<double>(seen) + value);
  };
  if (mine.is_own) {
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    sum.store(next(), std::memory_order_relaxed);
    return;
  }
  count.fetch_add(1, std::memory_order_relaxed);
  while (!sum.compare_exchange_weak(seen, next(), std::memory_order_relaxed)) {
  }
}

Histogram::Snapshot Histogram::snapshot() const {
  Snapshot result;
  result.buckets.resize(bounds_.size() + 1);
  for (std::size_t shard = 0; shard < slots_.count(); ++shard) {
    for (std::size_t i = 0; i < result.buckets.size(); ++i)
      result.buckets[i] += word(shard, i).load(std::memory_order_relaxed);
    result.sum +=
        std::bit_cast<double>(word(shard, bounds_.size() + 1).load(std::memory_order_relaxed));
  }
  return result;
}

class Metrics::Implementation {
 public:
  template <typename Metric, typename... Arguments>
  Metric& get(Kind kind, std::string_view name, std::string_view help, Labels labels,
              const Arguments&... arguments) {
    const std::lock_guard lock(mutex_);
    auto found = families_.find(name);
    if (found == families_.end()) {
      if (!is_name(name)) throw std::logic_error("metric \"" + std::string(name) + "\" is no name");
      found = families_.emplace(std::string(name), Family{kind, std::string(help), {}}).first;
    }
    Family& family = found->second;
    if (family.kind != kind)
      throw std::logic_error("metric \"" + std::string(name) + "\" has two kinds");
    std::string key = label_text(labels);
    auto series = family.series.find(key);
    if (series == family.series.end() && family.series.size() >= max_series) {
      key = label_text(labels, "other");
      series = family.series.find(key);
    }
    if (series == family.series.end()) {
      series = family.series.emplace(std::move(key), std::make_unique<Metric>(arguments...)).first;
    }
    return *std::get<std::unique_ptr<Metric>>(series->second);
  }

  void add_collector(std::function<void(MetricsSink&)> collector) {
    const std::lock_guard lock(mutex_);
    collectors_.push_back(std::move(collector));
  }

  std::string prometheus() const {
    Page page;
    std::vector<std::function<void(MetricsSink&)>> collectors;
    {
      const std::lock_guard lock(mutex_);
      collectors = collectors_;
      for (const auto& [name, family] : families_)
        render(page, name, family);
    }
    PageSink sink(page);
    for (const auto& collector : collectors)
      collector(sink);

    std::string out;
    for (const auto& [name, family] : page) {
      ((out += "# HELP ") += name) += ' ';
      append_metric_text(out, family.help, false);
      ((((out += "\n# TYPE ") += name) += ' ') += kind_name(family.kind)) += '\n';
      for (const auto& [labels, lines] : family.series)
        out += lines;
    }
    return out;
  }

 private:
  using Series =
      std::variant<std::unique_ptr<Counter>, std::unique_ptr<Gauge>, std::unique_ptr<Histogram>>;
  struct Family {
    Kind kind;
    std::string help;
    std::map<std::string, Series, std::less<>> series;
  };

  static void render(Page& page, const std::string& name, const Family& family) {
    FamilyText& text = family_text(page, name, family.help, family.kind);
    for (const auto& [labels, series] : family.series) {
      std::string& lines = text.series[labels];
      if (const auto* counter = std::get_if<std::unique_ptr<Counter>>(&series)) {
        append_sample(lines, name, {}, labels, {}, std::to_string((*counter)->value()));
      } else if (const auto* gauge = std::get_if<std::unique_ptr<Gauge>>(&series)) {
        append_sample(lines, name, {}, labels, {}, number_text((*gauge)->value()));
      } else {
        const Histogram& histogram = *std::get<std::unique_ptr<Histogram>>(series);
        const Histogram::Snapshot now = histogram.snapshot();
        append_histogram(lines, name, labels, histogram.bounds(), now.buckets, now.sum);
      }
    }
  }

  mutable std::mutex mutex_;
  std::map<std::string, Family, std::less<>> families_;
  std::vector<std::function<void(MetricsSink&)>> collectors_;
};

Metrics::Metrics() : implementation_(std::make_unique<Implementation>()) {}
Metrics::~Metrics() = default;

Counter& Metrics::counter(std::string_view name, std::string_view help, Labels labels) {
  return implementation_->get<Counter>(Kind::counter, name, help, labels);
}

Gauge& Metrics::gauge(std::string_view name, std::string_view help, Labels labels) {
  return implementation_->get<Gauge>(Kind::gauge, name, help, labels);
}

Histogram& Metrics::histogram(std::string_view name, std::string_view help, Labels labels,
                              std::span<const double> bounds) {
  return implementation_->get<Histogram>(Kind::histogram, name, help, labels, bounds);
}

void Metrics::add_collector(std::function<void(MetricsSink&)> collector) {
  implementation_->add_collector(std::move(collector));
}

std::string Metrics::prometheus() const {
  return implementation_->prometheus();
}

}  // namespace tenon::observability
