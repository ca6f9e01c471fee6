// One input, line by line, into entries. How they are ranked is in rank.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"
#include "parse.hpp"
#include "table.hpp"

namespace poolwise {

// A document code and two flags, so that a ranked list needs no second array.
constexpr std::uint32_t kTied = 1u << 31;     // has the score of the one before it
constexpr std::uint32_t kSameKey = 1u << 30;  // and its rank too, if ranks count: the id decides
constexpr std::uint32_t kCodeMask = kSameKey - 1;

class Input {
 public:
  struct List {
    std::uint32_t topic;
    std::size_t start, length;
  };

  Input(Topics& topics, const Options& options) : topics_(topics), options_(options) {
    layout_known_ = options.layout != kAuto;
    if (layout_known_) layout_ = layout_of(options.layout);
  }

  // Reads the next bytes. False when a problem stops the reading.
  bool feed(const char* at, std::size_t size) {
    const char* end = at + size;
    const char* nul = static_cast<const char*>(size ? std::memchr(at, 0, size) : nullptr);
    const bool fine = feed_text(at, nul ? nul : end);
    if (fine && nul) stop(kBinary, {}, line_ + 1);
    return problem_.code == kFine;
  }

  // Reads the last line, if it has no end, and ranks. False when there is a problem.
  bool finish() {
    if (problem_.code == kFine && carry_.size() > 0) take_carry();
    leave_topic();
    carry_.release();
    if (problem_.code == kFine && codes_.size() == 0) stop(kEmpty, {}, 0);
    if (problem_.code == kFine) rank();
    return problem_.code == kFine;
  }

  void fail(ProblemCode code) {
    if (lock_.owns_lock()) lock_.unlock();
    stop(code, {}, line_);
  }

  const Problem& problem() const { return problem_; }
  const Tally& skipped() const { return skipped_; }
  const Tally& repeated() const { return repeated_; }
  const std::string& tag() const { return tag_; }
  const std::vector<List>& lists() const { return lists_; }
  const Buffer<std::uint32_t>& codes() const { return codes_; }
  const Buffer<double>& values() const { return values_; }
  bool ties_by_lower_id() const { return options_.ties != kById && options_.ties != kBySingleAndId; }

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

  Layout layout_of(int code) const {
    switch (code) {
      case kColumns: return options_.judgments ? kBeirQrels : kMarcoRun;
      case kTabs: return options_.judgments ? kBeirQrelsTabs : kMarcoRunTabs;
      case kMemory: return options_.judgments ? kMemoryQrels : kMemoryRun;
      default: return options_.judgments ? kTrecQrels : kTrecRun;
    }
  }

  bool feed_text(const char* at, const char* end) {
    if (carry_.size() > 0) {
      const char* stop_at = find_end(at, end);
      carry_.append(at, static_cast<std::size_t>((stop_at ? stop_at : end) - at));
      if (!stop_at) return check_length(carry_.size());
      if (!take_carry()) return leave_topic();
      at = stop_at + 1;
    }
    limit_ = end;
    while (const char* stop_at = find_end(at, end)) {
      if (!take_line(at, stop_at)) return leave_topic();
      at = stop_at + 1;
    }
    leave_topic();
    carry_.append(at, static_cast<std::size_t>(end - at));
    return check_length(carry_.size());
  }
  bool take_carry() {
    limit_ = carry_.data() + carry_.size();
    const bool fine = take_line(carry_.data(), limit_);
    carry_.clear();  // keeps the bytes in place for the documents that wait
    return fine;
  }
  static const char* find_end(const char* at, const char* end) {
    if (at == end) return nullptr;
    return static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
  }
  bool check_length(std::size_t size) {
    return size <= kLongestLine || stop(kLineTooLong, {}, line_ + 1);
  }

  bool take_line(const char* at, const char* end) {
    ++line_;
    const bool memory = options_.layout == kMemory;
    if (line_ == 1 && !memory && end - at >= 3 && std::memcmp(at, "\xEF\xBB\xBF", 3) == 0) at += 3;
    while (!memory && end != at && is_space(end[-1])) --end;
    if (at == end || (*at == '#' && !memory)) return true;
    const std::string_view line(at, static_cast<std::size_t>(end - at));
    if (!layout_known_ && choose_layout(line)) return true;
    return take_entry(line);
  }

  // Tells the layout from the first line; true when that line is a header.
  bool choose_layout(std::string_view line) {
    const Fields fields = split_spaces(line.data(), line.data() + line.size(), 4);
    const bool columns = fields.count == 3;
    const bool header = columns && is_header(fields.at[0]);
    const bool tabs = std::count(line.begin(), line.end(), '\t') == 2;
    layout_ = layout_of(columns ? (tabs ? kTabs : kColumns) : kTrec);
    layout_known_ = true;
    return header;
  }
  static bool is_header(std::string_view name) {
    return name == "query-id" || name == "query_id" || name == "qid";
  }

  bool take_entry(std::string_view line) {
    const Fields fields = split(line, static_cast<std::size_t>(limit_ - line.data()), layout_);
    if (fields.count < layout_.least) return malformed(kTooFewFields, line, layout_.least);
    if (layout_.most && fields.count > layout_.most) {
      return malformed(kTooManyFields, line, layout_.most);
    }
    const auto field = [&](int i) { return fields.at[static_cast<std::size_t>(i)]; };
    if (!layout_.most && has_return(field(layout_.least - 1), line)) {
      return malformed(kStrayReturn, line);
    }
    const auto value = parse_number(field(layout_.value));
    if (!value) return malformed(kNotANumber, field(layout_.value));
    if (!std::isfinite(*value)) return malformed(kNotFinite, field(layout_.value));
    const std::string_view document = field(layout_.document), topic = field(layout_.topic);
    if (document.empty() || topic.empty()) return malformed(kEmptyId, line);
    if (!options_.judgments && options_.ties == kByRankAndId) {
      const auto rank = parse_integer(field(layout_.rank));
      if (!rank) return malformed(kNotARank, field(layout_.rank));
      ranks_.push(*rank);
    }
    if (layout_.tag >= 0) last_tag_ = field(layout_.tag);
    append(topic, document, layout_.descending ? -*value : *value);
    return true;
  }

  // Fields past the last may be ignored, lines may not: CR alone does not end a line.
  static bool has_return(std::string_view last_field, std::string_view line) {
    const char* rest = last_field.data() + last_field.size();
    const char* end = line.data() + line.size();
    return rest != end && std::memchr(rest, '\r', static_cast<std::size_t>(end - rest));
  }

  void append(std::string_view topic, std::string_view document, double value) {
    if (!lock_.owns_lock() || !same(topic, topic_id_)) enter_topic(topic);
    if (blocks_.empty() || blocks_.back().topic != topic_code_ || line_ != last_line_ + 1) {
      blocks_.push_back({topic_code_, codes_.size(), 0, line_});
    }
    ++blocks_.back().length;
    last_line_ = line_;
    wait(document);
    // trec_eval 9 keeps a score as a float.
    values_.push(options_.ties == kBySingleAndId ? static_cast<float>(value) : value);
  }

  // Documents wait in a batch for their codes, so that their lookups overlap.
  void wait(std::string_view document) {
    const std::uint32_t hash = hash_of(document);
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
    leave_topic();
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
  bool leave_topic() {
    if (lock_.owns_lock()) {
      intern_waiting();
      lock_.unlock();
      tag_.assign(last_tag_);
    }
    return problem_.code == kFine;
  }

  bool malformed(ProblemCode code, std::string_view text, int fields = 0) {
    if (!options_.skip_malformed) return stop(code, text, line_, fields);
    skipped_.add(line_);
    return true;
  }
  bool stop(ProblemCode code, std::string_view text, std::int64_t line, std::int64_t other = 0) {
    problem_.code = code;
    problem_.line = line;
    problem_.other = other;
    problem_.length = static_cast<std::int32_t>(std::min(text.size(), kLongestText));
    std::copy_n(text.data(), problem_.length, problem_.text);
    return false;
  }

  void rank();
  void regroup();
  template <class T>
  void regroup(Buffer<T>& column) const;
  void take_list(std::size_t first, std::size_t past);
  void gather(const Block& block);
  void drop_repeated(std::uint32_t topic);
  void report_repeated(std::uint32_t topic, const Entry& entry, std::int64_t first);
  void sort_entries();

  Topics& topics_;
  const Options options_;
  Layout layout_{};
  bool layout_known_ = false;
  Buffer<char> carry_;
  std::int64_t line_ = 0, last_line_ = -1;
  std::size_t expected_ = 0;  // documents of the next topic
  Problem problem_;
  Tally skipped_, repeated_;
  std::string tag_;
  std::string_view last_tag_;  // in the bytes being fed
  const char* limit_ = nullptr;  // end of the bytes being fed

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
  std::vector<List> lists_;

  std::vector<Entry> entries_;      // of the list being ranked
  std::vector<std::size_t> seen_;  // by code: one past where the document stands, counted by gathered_
  std::size_t gathered_ = 0;        // entries of the lists before
};

}  // namespace poolwise
