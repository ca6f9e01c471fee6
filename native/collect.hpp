// An input whose documents are all kept: entries with the codes of interned ids. How they are ranked
// is in rank.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "lines.hpp"

namespace poolwise {

// A document code and two flags, so that a ranked list needs no second array.
constexpr std::uint32_t kTied = 1u << 31;     // has the score of the one before it
constexpr std::uint32_t kSameKey = 1u << 30;  // and its rank too, if ranks count: the id decides
constexpr std::uint32_t kCodeMask = kSameKey - 1;

class Collected final : public Input {
  friend Input;

 public:
  Collected(Topics& topics, const Options& options) : Input(options), topics_(topics) {}

  void fail(ProblemCode code) override {
    if (lock_.owns_lock()) lock_.unlock();
    Input::fail(code);
  }

  const Buffer<std::uint32_t>& codes() const { return codes_; }
  const Buffer<double>& values() const { return values_; }

 private:
  // Consecutive lines of one topic without a gap, so that an entry's line can be told.
  struct Block {
    std::uint32_t topic;
    std::size_t entry, length;
    std::int64_t line;
  };
  struct Waiting {
    std::string_view document;
    std::uint32_t hash;
    double value;
    std::int64_t rank, line;
  };
  struct Entry {
    double value;
    std::int64_t rank, line;
    std::uint32_t code;
  };

  const char* take_common_lines(const char* at, const char* end) override {
    return take_common_lines_of(*this, at, end);
  }
  void append(const Id& topic, const Id& document, double value, std::int64_t rank) override {
    if (!lock_.owns_lock() || !(topic == topic_id_)) enter_topic(topic);
    if (value_kind_ == kUntold) third_column_.add(value);
    // Documents wait in a batch for their codes, so that their lookups overlap.
    const std::uint32_t hash = IdSet::upper_half(hash_of(document));
    topic_->documents.prefetch_slot(hash);
    waiting_[waiting_count_++] = {document.text, hash, value, rank, line_};
    if (waiting_count_ == waiting_.size()) intern_waiting();
  }
  void intern_waiting() {
    IdSet& documents = topic_->documents;
    for (std::size_t i = 0; i < waiting_count_; ++i) documents.prefetch_end(waiting_[i].hash);
    for (std::size_t i = 0; i < waiting_count_; ++i) documents.prefetch_id(waiting_[i].hash);
    for (std::size_t i = 0; i < waiting_count_; ++i) {
      const Waiting& waiting = waiting_[i];
      const std::uint32_t code = documents.intern(waiting.document, waiting.hash);
      if (std::size_t& place = place_of(code); place <= visit_ || repeats_wait()) {
        keep(waiting, code);
        place = codes_.size();
      } else {
        drop(waiting, place - 1);
      }
    }
    waiting_count_ = 0;
  }

  // One past where the document of this code stands among the entries.
  std::size_t& place_of(std::uint32_t code) {
    if (code >= seen_.size()) seen_.resize(code + code / 2 + 64);
    return seen_[code];
  }
  // Which of two values is better may show at the end.
  bool repeats_wait() const { return value_kind_ == kUntold && options_.duplicates == kBest; }

  void keep(const Waiting& waiting, std::uint32_t code) {
    if (blocks_.empty() || blocks_.back().topic != topic_code_ || waiting.line != last_line_ + 1) {
      blocks_.push_back({topic_code_, codes_.size(), 0, waiting.line});
    }
    ++blocks_.back().length;
    last_line_ = waiting.line;
    codes_.push(code);
    values_.push(waiting.value);
    if (has_ranks()) ranks_.push(waiting.rank);
  }
  // What is repeated while its topic goes on takes no memory, however often it is.
  void drop(const Waiting& waiting, std::size_t first) {
    repeated_.add(waiting.line);
    if (options_.duplicates == kError && (fine() || problem_.line > waiting.line)) {
      stop(kDuplicate, waiting.document, waiting.line, line_of(first));
    }
    const bool better = options_.duplicates == kBest && waiting.value > values_[first];
    if (!better && options_.duplicates != kLast) return;
    values_[first] = waiting.value;
    if (has_ranks()) ranks_[first] = waiting.rank;
  }
  std::int64_t line_of(std::size_t entry) const {
    const auto past = std::upper_bound(blocks_.begin(), blocks_.end(), entry,
                                       [](std::size_t e, const Block& b) { return e < b.entry; });
    return past[-1].line + static_cast<std::int64_t>(entry - past[-1].entry);
  }

  void enter_topic(const Id& topic) {
    pause();
    if (topic_ == nullptr || !(topic == topic_id_)) {
      if (topics_.lone() && topic_) pack_topic();
      topic_name_.assign(topic.text);
      topic_id_ = Id(topic_name_);
      topic_code_ = topics_.intern(topic_name_);
      topic_ = &topics_.at(topic_code_);
      visit_ = codes_.size();
      third_column_.start_list();
    }
    lock_ = std::unique_lock(topic_->mutex);
    if (topics_.lone() && topic_->documents.size() == 0) topic_->documents.expect(expected_);
  }
  // A lone run goes on to another topic, whose list will tend to have the length of this one.
  void pack_topic() {
    const std::lock_guard guard(topic_->mutex);
    expected_ = topic_->documents.size();
    if (!topic_->packed) topic_->documents.pack();
    topic_->packed = true;
  }
  void pause() override {
    if (!lock_.owns_lock()) return;
    intern_waiting();
    lock_.unlock();
  }
  void conclude() override {
    if (value_kind_ == kUntold) settle_values();
    if (fine()) rank();
  }
  void settle_values() {
    third_column_.start_list();
    guessed_ = third_column_.kind();
    if (guessed_ == kUntold) return stop(kRanksOrScores, {}, 0);
    if (guessed_ != kRanks) return;
    for (double& value : values_) value = -value;
  }

  void rank();
  bool regroup();
  template <class T>
  void regroup(Buffer<T>& column) const;
  void take_list(std::size_t first, std::size_t past, bool may_repeat);
  void gather(const Block& block);
  void drop_repeated(std::uint32_t topic);
  void report_repeated(std::uint32_t topic, const Entry& entry, std::int64_t first);

  Topics& topics_;
  std::int64_t last_line_ = -1;
  std::size_t expected_ = 0;  // documents of the next topic

  std::string topic_name_;
  Id topic_id_{{}};
  std::uint32_t topic_code_ = 0;
  Topic* topic_ = nullptr;
  std::unique_lock<std::mutex> lock_;
  std::array<Waiting, 32> waiting_;
  std::size_t waiting_count_ = 0;

  std::vector<Block> blocks_;
  Buffer<std::uint32_t> codes_;
  Buffer<double> values_;
  Buffer<std::int64_t> ranks_;

  std::size_t visit_ = 0;           // entries before the topic that goes on
  std::vector<std::size_t> seen_;  // by code: one past where the document stands, the last time it did
  std::vector<Entry> entries_;      // of the list being ranked
  std::size_t gathered_ = 0;        // entries of the lists before
};

}  // namespace poolwise
