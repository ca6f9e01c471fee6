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

// The judged documents of a topic, in their order in the judgments.
struct JudgedTopic {
  IdSet documents;
  const std::int8_t* marks;
};

class Judged {
 public:
  // `starts` tells where the documents of each topic start; `marks` has one for each document.
  Judged(const IdTable& topics, std::int64_t count, const IdTable& documents,
         const std::int64_t* starts, const std::int8_t* marks, std::int8_t other,
         bool counts_unknown = true)
      : marks_(marks, marks + starts[count]), other_(other), counts_unknown_(counts_unknown) {
    for (std::int64_t t = 0; t < count; ++t) {
      topics_.intern(topics[t]);
      JudgedTopic& topic = judged_.emplace_back();
      topic.marks = marks_.data() + starts[t];
      topic.documents.expect(static_cast<std::size_t>(starts[t + 1] - starts[t]));
      for (std::int64_t d = starts[t]; d < starts[t + 1]; ++d) topic.documents.intern(documents[d]);
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
  IdSet topics_;
  std::deque<JudgedTopic> judged_;
  std::vector<std::int8_t> marks_;
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
 public:
  Marked(Topics& topics, const Judged& judged, const Options& options)
      : Input(options), topics_(topics), judged_(judged) {}

  const Buffer<std::int8_t>& marks() const { return marks_; }

 private:
  struct Entry {
    double value;
    std::int64_t rank;
    std::uint64_t hash;
    const char* id;
    std::uint32_t length;
    std::int8_t mark;
    std::string_view document() const { return {id, length}; }
    std::uint32_t short_hash() const { return IdSet::upper_half(hash); }
  };
  struct Unknown {
    std::uint64_t hash, rank;
  };

  void append(std::string_view topic, std::string_view document, double value,
              std::int64_t rank) override {
    if (list_.size() == 0 || !same(topic, topic_id_)) enter_topic(topic);
    const std::uint64_t hash = hash_of(document);
    if (topic_) topic_->documents.prefetch_slot(IdSet::upper_half(hash));
    if (value_kind_ == kUntold) third_column_.add(value);
    list_.push({value, rank, hash, document.data(), static_cast<std::uint32_t>(document.size()),
                judged_.other()});
    if (list_.size() == next_check_) check_distinct();
  }

  // A list that goes on and on may be one line again and again.
  void check_distinct() {
    next_check_ *= 2;
    // Different ids may share a hash: the input is then collected, which takes longer, no more.
    if (!distinct_(list_)) stop(kNotSimple, {}, line_);
  }

  void enter_topic(std::string_view topic) {
    take_list();
    topic_id_.assign(topic);
    topic_ = judged_.topic(topic);
    topic_code_ = topics_.intern(topic);
    if (topic_code_ >= answered_.size()) answered_.resize(topic_code_ + topic_code_ / 2 + 64);
    if (answered_[topic_code_]) stop(kNotSimple, {}, line_);
    answered_[topic_code_] = true;
  }

  // The ids of a list that goes on are copied out of the bytes being fed.
  void pause() override {
    std::size_t size = 0;
    for (std::size_t i = copied_; i < list_.size(); ++i) size += list_[i].length;
    if (size == 0) return;
    char* at = copies_.emplace_back(size).data();
    for (; copied_ < list_.size(); ++copied_) {
      Entry& entry = list_[copied_];
      std::memcpy(at, entry.id, entry.length);
      entry.id = at;
      at += entry.length;
    }
  }

  void conclude() override {
    take_list();
    if (guessed_ != kUntold && guessed_ != third_column_.kind()) stop(kNotSimple, {}, line_);
    marks_.shrink();
    list_.release();
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
    for (const Entry& entry : list_) marks_.push(entry.mark);
    list_.clear();
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

  void mark_list() {
    const IdSet& documents = topic_->documents;
    for (std::size_t first = 0, past; first < list_.size(); first = past) {
      past = std::min(first + 32, list_.size());
      for (std::size_t i = first; i < past; ++i) documents.prefetch_end(list_[i].short_hash());
      for (std::size_t i = first; i < past; ++i) documents.prefetch_id(list_[i].short_hash());
      for (std::size_t i = first; i < past; ++i) {
        const std::int64_t code = documents.find(list_[i].document(), list_[i].short_hash());
        if (code >= 0) list_[i].mark = topic_->marks[code];
      }
    }
  }

  void sort_list() {
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
  std::string topic_id_;
  const JudgedTopic* topic_ = nullptr;  // null where nothing is judged
  std::uint32_t topic_code_ = 0;
  std::vector<bool> answered_;  // by topic code
  Buffer<std::int8_t> marks_;

  // Of the topic being read.
  Buffer<Entry> list_;
  Buffer<Unknown> unknown_;
  std::deque<std::vector<char>> copies_;
  std::size_t copied_ = 0;  // entries of the list whose ids are copied
  Distinct distinct_;
  std::size_t next_check_ = kFirstCheck;
};

}  // namespace poolwise
