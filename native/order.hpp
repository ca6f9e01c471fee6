// The order of a ranked list, for whatever keeps one: by score, then by rank, and last by id.
#pragma once

#include <algorithm>
#include <cstddef>

namespace poolwise {

// Ranks are all 0 unless they count.
template <class Entry>
bool ranks_before(const Entry& a, const Entry& b) {
  return a.value != b.value ? a.value > b.value : a.rank < b.rank;
}
template <class Entry>
bool same_score(const Entry& a, const Entry& b) {
  return a.value == b.value;
}
template <class Entry>
bool same_key(const Entry& a, const Entry& b) {
  return same_score(a, b) && a.rank == b.rank;
}

// Most lists are sorted as they stand, but for ties.
template <class Entry>
void sort_by_key(Entry* first, Entry* past) {
  const auto before = [](const Entry& a, const Entry& b) { return ranks_before(a, b); };
  if (!std::is_sorted(first, past, before)) std::sort(first, past, before);
}

// Puts neighbours that tie in order of their ids, the lower or the higher first. `ties(i)` says
// whether item i ties with the one before it.
template <class Item, class Ties, class LowerId>
void sort_ties(Item* items, std::size_t count, Ties ties, LowerId lower_id, bool lower_first = true) {
  for (std::size_t first = 0, past; first < count; first = past) {
    past = first + 1;
    while (past < count && ties(past)) ++past;
    if (past - first == 1) continue;
    std::sort(items + first, items + past, lower_id);
    if (!lower_first) std::reverse(items + first, items + past);
  }
}

}  // namespace poolwise
