#include "sqlite/search/search_places.hpp"

#include <algorithm>

namespace tenon::data::sqlite {

namespace {

bool is_worse(const SearchPlace& left, const SearchPlace& right) noexcept {
  return right < left;
}

}  // namespace

void SearchPlaces::add(const SearchPlace& place) {
  if (worst_ && *worst_ < place) return;
  places_.push_back(place);
  if (places_.size() == 2 * most_) cut();
}

void SearchPlaces::cut() noexcept {
  const auto last = places_.begin() + static_cast<std::ptrdiff_t>(most_ - 1);
  std::nth_element(places_.begin(), last, places_.end());
  worst_ = *last;
  places_.resize(most_);
}

void SearchPlaces::settle(double factor) noexcept {
  if (places_.size() > most_) cut();
  for (SearchPlace& place : places_)
    place.rank *= factor;
  std::make_heap(places_.begin(), places_.end(), &is_worse);
}

void SearchPlaces::take() noexcept {
  std::pop_heap(places_.begin(), places_.end(), &is_worse);
  places_.pop_back();
}

void SearchPlaces::clear() noexcept {
  places_.clear();
  worst_.reset();
}

}  // namespace tenon::data::sqlite
