#include "jobs/attempt.hpp"

namespace tenon::jobs {

void Attempt::set_progress(Progress progress) {
  progress.text = cut(progress.text, max_progress_text_bytes);
  const std::lock_guard lock(mutex_);
  progress_ = std::move(progress);
  has_news = true;
}

Progress Attempt::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

}  // namespace tenon::jobs
