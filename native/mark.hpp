// An input of which only marks are kept: a ranked list is the marks of its documents, and a document
// has the mark of its judgment, or one for all that have none.
//
// Nothing is shared but the judgments, which do not change, the names of topics and, between runs, the
// best ranks of documents without a grade; a list is ranked while it is in the processor's cache, and
// its ids are forgotten. What takes more than that stops the reading (kNotSimple), and the input has
// to be collected instead.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "lines.hpp"

namespace poolwise {

// Ids one after another; id i is data[offsets[i]] … data[offsets[i + 1] − 1].
struct IdTable {
  const char* data;
  const std::int64_t* offsets;
  std::string_view operator[](std::int64_t i) const {
    return {data + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
};

// The judged documents of a topic. A document and its mark lie in one line of the processor's cache,
// and a bit of its hash lies close at hand.
class JudgedTopic {
 public:
  JudgedTopic() : bits_(1), slots_(1) {}
  JudgedTopic(const IdTable& ids, std::int64_t first, std::int64_t past, const std::int8_t* marks)
      : JudgedTopic() {
    while (bits_.size() * 4 < static_cast<std::size_t>(past - first)) bits_.resize(2 * bits_.size());
    slots_.resize(8 * bits_.size());
    for (std::int64_t d = first; d < past; ++d) put(Id(ids[d]), marks[d]);
  }

  // False for most documents without a judgment.
  POOLWISE_INLINE bool may_hold(std::uint64_t hash) const {
    return (bits_[word_of(hash)] & bit_of(hash)) != 0;
  }
  void prefetch_slot(std::uint64_t hash) const { prefetch(&slots_[first_slot(hash)]); }
  // The mark of a document, or another where it has no judgment.
  std::int8_t mark(const Id& id, std::uint64_t hash, std::int8_t other) const {
    for (std::size_t at = first_slot(hash); slots_[at].text; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].holds(id)) return slots_[at].mark;
    }
    return other;
  }

 private:
  struct Slot {
    std::uint64_t first = 0, last = 0;
    const char* text = nullptr;  // where there is none, the slot is empty
    std::uint32_t size = 0;
    std::int8_t mark = 0;

    bool holds(const Id& id) const {
      return first == id.first && last == id.last && size == id.text.size() &&
             (id.is_short() || std::string_view(text, size) == id.text);
    }
  };

  void put(const Id& id, std::int8_t mark) {
    const std::uint64_t hash = hash_of(id);
    bits_[word_of(hash)] |= bit_of(hash);
    std::size_t at = first_slot(hash);
    while (slots_[at].text) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {id.first, id.last, id.text.data(), static_cast<std::uint32_t>(id.text.size()), mark};
  }
  // Sixteen bits for a document, or more.
  std::size_t word_of(std::uint64_t hash) const { return (hash >> 6) & (bits_.size() - 1); }
  static std::uint64_t bit_of(std::uint64_t hash) { return std::uint64_t{1} << hash % 64; }
  std::size_t first_slot(std::uint64_t hash) const { return (hash >> 32) & (slots_.size() - 1); }

  std::vector<std::uint64_t> bits_;
  std::vector<Slot> slots_;
};

class Judged {
 public:
  // `starts` tells where the documents of each topic start; `marks` has one for each document.
  Judged(const IdTable& topics, std::int64_t count, const IdTable& documents,
         const std::int64_t* starts, const std::int8_t* marks, std::int8_t other,
         bool counts_unknown = true)
      : data_(documents.data, documents.data + documents.offsets[starts[count]]),
        other_(other),
        counts_unknown_(counts_unknown) {
    const IdTable kept{data_.data(), documents.offsets};
    for (std::int64_t t = 0; t < count; ++t) {
      topics_.intern(topics[t]);
      judged_.emplace_back(kept, starts[t], starts[t + 1], marks);
    }
  }

  // Null for a topic without judgments.
  const JudgedTopic* topic(std::string_view id) const {
    const std::int64_t code = topics_.find(id, IdSet::short_hash(id));
    return code < 0 ? nullptr : &judged_[static_cast<std::size_t>(code)];
  }
  // The mark of a document without judgment.
  std::int8_t other() const { return other_; }
  // Whether the documents of all runs without a grade are to be counted, by their best ranks.
  bool counts_unknown() const { return counts_unknown_; }

 private:
  std::vector<char> data_;  // ids of documents
  IdSet topics_;
  std::deque<JudgedTopic> judged_;
  std::int8_t other_;
  bool counts_unknown_;
};

// Tells whether hashes are distinct. Some bits of a hash tell its place, others are compared there,
// so that different hashes are hardly ever taken for equal.
class Distinct {
 public:
  template <class Entry>
  bool operator()(const Buffer<Entry>& list) {
    std::size_t size = 64;
    while (size < 4 * list.size()) size *= 2;
    slots_.resize(size);
    std::memset(slots_.data(), 0, size * sizeof(std::uint32_t));
    return std::all_of(list.begin(), list.end(), [&](const Entry& entry) { return put(entry.hash); });
  }

 private:
  bool put(std::uint64_t hash) {
    const std::uint32_t compared = IdSet::upper_half(hash) | 1;  // 0 is an empty slot
    const std::size_t last = slots_.size() - 1;
    std::size_t at = hash & last;
    for (; slots_[at] != 0; at = (at + 1) & last) {
      if (slots_[at] == compared) return false;
    }
    slots_[at] = compared;
    return true;
  }

  Buffer<std::uint32_t> slots_;
};

class Marked final : public Input {
  friend Input;

 public:
  Marked(Topics& topics, const Judged& judged, const Options& options)
      : Input(options), topics_(topics), judged_(judged) {
    candidates_.resize(kAhead);
  }

  const Buffer<std::int8_t>& marks() const { return marks_; }

 private:
  struct Entry {
    double value;
    std::int64_t rank;
    std::uint64_t hash;
    std::uint64_t first, last;  // of the document, as its Id has it
    const char* text;
    std::uint32_t size;
    std::int8_t mark;
    std::string_view document() const { return {text, size}; }
  };
  struct Unknown {
    std::uint64_t hash, rank;
  };

  const char* take_common_lines(const char* at, const char* end) override {
    return take_common_lines_of(*this, at, end);
  }
  POOLWISE_INLINE void append(const Id& topic, const Id& document, double value,
                              std::int64_t rank) override {
    if (list_.size() == 0 || !(topic == topic_id_)) enter_topic(topic);
    const std::uint64_t hash = hash_of(document);
    if (value_kind_ == kUntold) third_column_.add(value);
    candidates_[candidate_count_] = static_cast<std::uint32_t>(list_.size());
    candidate_count_ += graded_->may_hold(hash);
    Entry& entry = list_.add();
    entry.value = value;
    entry.rank = rank;
    entry.hash = hash;
    entry.first = document.first;
    entry.last = document.last;
    entry.text = document.text.data();
    entry.size = static_cast<std::uint32_t>(document.text.size());
    entry.mark = judged_.other();
    if (list_.size() == candidates_.size()) candidates_.resize(2 * candidates_.size());
    if (list_.size() == next_check_) check_distinct();
  }

  // A list that goes on and on may be one line again and again.
  void check_distinct() {
    next_check_ *= 2;
    // Different ids may share a hash: the input is then collected, which takes longer, no more.
    if (!distinct_(list_)) stop(kNotSimple, {}, line_);
  }

  void enter_topic(const Id& topic) {
    take_list();
    topic_name_.assign(topic.text);
    topic_id_ = Id(topic_name_);
    topic_ = judged_.topic(topic_name_);
    graded_ = topic_ ? topic_ : &nothing_judged_;
    topic_code_ = topics_.intern(topic_name_);
    if (topic_code_ >= answered_.size()) answered_.resize(topic_code_ + topic_code_ / 2 + 64);
    if (answered_[topic_code_]) stop(kNotSimple, {}, line_);
    answered_[topic_code_] = true;
  }

  // The ids of a list that goes on are copied out of the bytes being fed.
  void pause() override {
    std::size_t size = 0;
    for (std::size_t i = copied_; i < list_.size(); ++i) size += list_[i].size;
    if (size == 0) return;
    char* at = copies_.emplace_back(size).data();
    for (; copied_ < list_.size(); ++copied_) {
      Entry& entry = list_[copied_];
      std::memcpy(at, entry.text, entry.size);
      entry.text = at;
      at += entry.size;
    }
  }

  void conclude() override {
    take_list();
    if (guessed_ != kUntold && guessed_ != third_column_.kind()) stop(kNotSimple, {}, line_);
    marks_.shrink();
    list_.release();
    candidates_.release();
    unknown_.release();
    distinct_ = {};
  }

  void take_list() {
    if (list_.size() == 0) return;
    check_distinct();
    next_check_ = kFirstCheck;
    if (value_kind_ == kUntold) settle_values();
    if (topic_) mark_list();
    sort_list();
    if (topic_ && !topics_.lone() && judged_.counts_unknown()) share_unknown();
    lists_.push_back({topic_code_, marks_.size(), list_.size()});
    marks_.resize(marks_.size() + list_.size());
    std::transform(list_.begin(), list_.end(), marks_.end() - list_.size(),
                   [](const Entry& entry) { return entry.mark; });
    list_.clear();
    candidate_count_ = 0;
    copies_.clear();
    copied_ = 0;
  }

  // Takes the values for what those of the lists so far are; a later list may tell otherwise.
  void settle_values() {
    third_column_.start_list();
    const ValueKind kind = third_column_.kind();
    if (kind == kUntold || (guessed_ != kUntold && guessed_ != kind)) stop(kNotSimple, {}, line_);
    guessed_ = kind;
    if (kind != kRanks) return;
    for (Entry& entry : list_) entry.value = -entry.value;
  }

  // Those that may be judged, which were gathered without a branch: no processor could tell which.
  void mark_list() {
    for (std::size_t c = 0; c < candidate_count_; ++c) {
      if (c + kAhead < candidate_count_) topic_->prefetch_slot(list_[candidates_[c + kAhead]].hash);
      Entry& entry = list_[candidates_[c]];
      entry.mark = topic_->mark({entry.document(), entry.first, entry.last}, entry.hash, entry.mark);
    }
  }

  void sort_list() {
    bool sorted = true, ties = false;
    for (std::size_t i = 1; i < list_.size(); ++i) {
      sorted &= !ranks_before(list_[i], list_[i - 1]);
      ties |= same_key(list_[i], list_[i - 1]);
    }
    if (sorted && !ties) return;
    sort_by_key(list_.begin(), list_.end());
    sort_ties(
        list_.data(), list_.size(),
        [&](std::size_t i) { return same_key(list_[i], list_[i - 1]); },
        [](const Entry& a, const Entry& b) { return a.document() < b.document(); },
        ties_by_lower_id());
  }

  // Adds the documents without a grade to those of the other runs, under one lock for all of them.
  void share_unknown() {
    gather_unknown();
    Topic& topic = topics_.at(topic_code_);
    const std::lock_guard guard(topic.mutex);
    topic.best_ranks.admit(list_.size());
    for (std::size_t i = 0; i < unknown_.size(); ++i) {
      if (i + kAhead < unknown_.size()) topic.best_ranks.prefetch(unknown_[i + kAhead].hash);
      topic.best_ranks.put(unknown_[i].hash, unknown_[i].rank);
    }
  }
  // Without a branch, which would be taken as often as not.
  void gather_unknown() {
    unknown_.resize(list_.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < list_.size(); ++i) {
      unknown_[count] = {list_[i].hash, i + 1};
      count += list_[i].mark < 0;
    }
    unknown_.resize(count);
  }

  static constexpr std::size_t kFirstCheck = 1 << 14;  // documents; few lists have so many
  static constexpr std::size_t kAhead = 32;  // lookups whose memory is asked for ahead of their use

  Topics& topics_;
  const Judged& judged_;
  std::string topic_name_;
  Id topic_id_{{}};
  const JudgedTopic* topic_ = nullptr;  // null where nothing is judged
  const JudgedTopic nothing_judged_;
  const JudgedTopic* graded_ = &nothing_judged_;
  std::uint32_t topic_code_ = 0;
  std::vector<bool> answered_;  // by topic code
  Buffer<std::int8_t> marks_;

  // Of the topic being read.
  Buffer<Entry> list_;
  Buffer<std::uint32_t> candidates_;  // places in the list, one more than there are
  std::size_t candidate_count_ = 0;
  Buffer<Unknown> unknown_;
  std::deque<std::vector<char>> copies_;
  std::size_t copied_ = 0;  // entries of the list whose ids are copied
  Distinct distinct_;
  std::size_t next_check_ = kFirstCheck;
};

}  // namespace poolwise
