// The entries of a collected input into one ranked list for each topic.
//
// Scores decide here; the ids of tied documents decide when the arrays are filled, because then codes
// follow the byte order of ids and no id needs to be looked at.
#pragma once

#include "collect.hpp"

namespace poolwise {

inline void Collected::rank() {
  const bool may_repeat = regroup() || repeats_wait();
  std::fill(seen_.begin(), seen_.end(), 0);
  for (std::size_t first = 0, past; first < blocks_.size(); first = past) {
    past = first + 1;
    while (past < blocks_.size() && blocks_[past].topic == blocks_[first].topic) ++past;
    take_list(first, past, may_repeat);
  }
  ranks_.release();
  if (!options_.judgments) values_.release();
  std::vector<Block>().swap(blocks_);
  std::vector<std::size_t>().swap(seen_);
  std::vector<Entry>().swap(entries_);
}

// Brings the blocks of a topic together; false where no topic comes back after another.
inline bool Collected::regroup() {
  std::vector<std::uint32_t> order;
  for (const Block& block : blocks_) {
    if (order.empty() || order.back() != block.topic) order.push_back(block.topic);
  }
  std::sort(order.begin(), order.end());
  if (std::adjacent_find(order.begin(), order.end()) == order.end()) return false;
  std::stable_sort(blocks_.begin(), blocks_.end(),
                   [](const Block& a, const Block& b) { return a.topic < b.topic; });
  regroup(codes_);
  regroup(values_);
  if (ranks_.size()) regroup(ranks_);
  std::size_t entry = 0;
  for (Block& block : blocks_) {
    block.entry = entry;
    entry += block.length;
  }
  return true;
}

template <class T>
void Collected::regroup(Buffer<T>& column) const {
  Buffer<T> grouped;
  grouped.resize(column.size());
  grouped.clear();
  for (const Block& block : blocks_) grouped.append(column.data() + block.entry, block.length);
  column.swap(grouped);
}

inline void Collected::take_list(std::size_t first, std::size_t past, bool may_repeat) {
  entries_.clear();
  for (std::size_t b = first; b < past; ++b) gather(blocks_[b]);
  const std::size_t all = entries_.size();
  if (may_repeat) drop_repeated(blocks_[first].topic);
  if (!options_.judgments) sort_by_key(entries_.data(), entries_.data() + entries_.size());
  // Lists only shrink, so that writing in place never overtakes the entries still to be read.
  const std::size_t start = lists_.empty() ? 0 : lists_.back().start + lists_.back().length;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const bool tied = i > 0 && same_score(entries_[i], entries_[i - 1]);
    const bool same = tied && same_key(entries_[i], entries_[i - 1]);
    codes_[start + i] = entries_[i].code | (tied ? kTied : 0) | (same ? kSameKey : 0);
    if (options_.judgments) values_[start + i] = entries_[i].value;
  }
  lists_.push_back({blocks_[first].topic, start, entries_.size()});
  gathered_ += all;
}

inline void Collected::gather(const Block& block) {
  for (std::size_t i = 0; i < block.length; ++i) {
    const std::size_t at = block.entry + i;
    entries_.push_back({values_[at], ranks_.size() ? ranks_[at] : 0,
                        block.line + static_cast<std::int64_t>(i), codes_[at]});
  }
}

inline void Collected::drop_repeated(std::uint32_t topic) {
  std::size_t kept = 0;
  for (const Entry entry : entries_) {
    std::size_t& place = place_of(entry.code);
    if (place <= gathered_) {
      entries_[kept++] = entry;
      place = gathered_ + kept;
      continue;
    }
    Entry& first = entries_[place - gathered_ - 1];
    report_repeated(topic, entry, first.line);
    const bool better = options_.duplicates == kBest && entry.value > first.value;
    if (better || options_.duplicates == kLast) first = entry;
  }
  entries_.resize(kept);
}

inline void Collected::report_repeated(std::uint32_t topic, const Entry& entry, std::int64_t first) {
  repeated_.add(entry.line);
  if (options_.duplicates != kError) return;
  if (problem_.code == kDuplicate && problem_.line < entry.line) return;
  Topic& owner = topics_.at(topic);
  const std::lock_guard guard(owner.mutex);
  stop(kDuplicate, owner.documents[entry.code], entry.line, first);
}

}  // namespace poolwise
