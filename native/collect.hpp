// An input whose documents are all kept: entries with the codes of interned ids. How they are ranked
// is in rank.hpp.
#pragma once

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
  };
  struct Entry {
    double value;
    std::int64_t rank, line;
    std::uint32_t code;
  };

  void append(std::string_view topic, std::string_view document, double value,
              std::int64_t rank) override {
    if (!lock_.owns_lock() || !same(topic, topic_id_)) enter_topic(topic);
    if (blocks_.empty() || blocks_.back().topic != topic_code_ || line_ != last_line_ + 1) {
      blocks_.push_back({topic_code_, codes_.size(), 0, line_});
    }
    ++blocks_.back().length;
    last_line_ = line_;
    wait(document);
    values_.push(value);
    if (has_ranks()) ranks_.push(rank);
  }

  // Documents wait in a batch for their codes, so that their lookups overlap.
  void wait(std::string_view document) {
    const std::uint32_t hash = IdSet::short_hash(document);
    topic_->documents.prefetch_slot(hash);
    waiting_[waiting_count_++] = {document, hash};
    codes_.push(0);
    if (waiting_count_ == waiting_.size()) intern_waiting();
  }
  void intern_waiting() {
    IdSet& documents = topic_->documents;
    std::uint32_t* code = codes_.data() + codes_.size() - waiting_count_;
    for (std::size_t i = 0; i < waiting_count_; ++i) documents.prefetch_end(waiting_[i].hash);
    for (std::size_t i = 0; i < waiting_count_; ++i) documents.prefetch_id(waiting_[i].hash);
    for (std::size_t i = 0; i < waiting_count_; ++i) {
      *code++ = documents.intern(waiting_[i].document, waiting_[i].hash);
    }
    waiting_count_ = 0;
  }

  void enter_topic(std::string_view topic) {
    pause();
    if (topic_ == nullptr || topic != topic_id_) {
      if (topics_.lone() && topic_) pack_topic();
      topic_id_.assign(topic);
      topic_code_ = topics_.intern(topic);
      topic_ = &topics_.at(topic_code_);
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
  void conclude() override { rank(); }

  void rank();
  void regroup();
  template <class T>
  void regroup(Buffer<T>& column) const;
  void take_list(std::size_t first, std::size_t past);
  void gather(const Block& block);
  void drop_repeated(std::uint32_t topic);
  void report_repeated(std::uint32_t topic, const Entry& entry, std::int64_t first);

  Topics& topics_;
  std::int64_t last_line_ = -1;
  std::size_t expected_ = 0;  // documents of the next topic

  std::string topic_id_;
  std::uint32_t topic_code_ = 0;
  Topic* topic_ = nullptr;
  std::unique_lock<std::mutex> lock_;
  std::array<Waiting, 32> waiting_;
  std::size_t waiting_count_ = 0;

  std::vector<Block> blocks_;
  Buffer<std::uint32_t> codes_;
  Buffer<double> values_;
  Buffer<std::int64_t> ranks_;

  std::vector<Entry> entries_;      // of the list being ranked
  std::vector<std::size_t> seen_;  // by code: one past where the document stands, counted by gathered_
  std::size_t gathered_ = 0;        // entries of the lists before
};

}  // namespace poolwise
