// What the third column of a run holds, told by its header, or else by all of its values.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "hash.hpp"
#include "parse.hpp"

namespace poolwise {

enum ValueKind { kUntold, kRanks, kScores };

constexpr std::array<std::string_view, 6> kTopicNames{"qid",   "query_id", "query-id",
                                                      "topic", "topic_id", "query"};
constexpr std::array<std::string_view, 8> kDocumentNames{
    "docno", "doc_id", "corpus-id", "docid", "document", "document_id", "pid", "corpus_id"};
constexpr std::array<std::string_view, 5> kGradeNames{"label", "relevance", "rel", "grade", "score"};

template <std::size_t size>
bool is_one_of(std::string_view name, const std::array<std::string_view, size>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A line of names, whether they are known or not. An id may be such a name, a number is none.
inline bool is_header(const Fields& fields) {
  double value;
  return fields.count() == 3 && is_one_of(lower_case(fields[0]), kTopicNames) &&
         !parse_number(fields[2], value);
}

// What a header calls the third column; untold where one of the names is not known.
inline ValueKind named_kind(const Fields& fields, bool judgments) {
  const std::string name = lower_case(fields[2]);
  if (!is_one_of(lower_case(fields[1]), kDocumentNames)) return kUntold;
  if (judgments) return is_one_of(name, kGradeNames) ? kScores : kUntold;
  return name == "score" ? kScores : name == "rank" ? kRanks : kUntold;
}

// The values of a third column without a header. They are scores if one of them is no whole number.
// They are ranks if those of every list rise from line to line, or are 1 to n, or 0 to n − 1, in
// whatever order; and scores if those of every list fall. Otherwise nobody can tell.
class ThirdColumn {
 public:
  // Lines of another topic follow.
  void start_list() {
    if (count_ > 1) {
      const bool counts = values_ == from_1_ || values_ == from_0_;
      ranks_ = ranks_ && (rising_ || counts);
      scores_ = scores_ && falling_;
    }
    count_ = values_ = from_1_ = from_0_ = 0;
    rising_ = falling_ = true;
  }

  void add(double value) {
    whole_ = whole_ && value >= 0 && std::trunc(value) == value;
    if (!whole_) return;
    rising_ = rising_ && (count_ == 0 || value > last_);
    falling_ = falling_ && (count_ == 0 || value <= last_);
    last_ = value;
    values_ += hash_of_number(value + 0.0);  // which is 0 for −0
    from_0_ += hash_of_number(static_cast<double>(count_));
    from_1_ += hash_of_number(static_cast<double>(++count_));
  }

  // What the lists that have ended are.
  ValueKind kind() const {
    if (!whole_) return kScores;
    return ranks_ ? kRanks : scores_ ? kScores : kUntold;
  }

 private:
  // Sums of these are equal, but for a chance of 1 to 2^64, if the numbers are, in any order.
  static std::uint64_t hash_of_number(double value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    return hash_of(Id({bytes, sizeof value}));
  }

  bool whole_ = true, ranks_ = true, scores_ = true;  // of all lists that have ended
  bool rising_ = true, falling_ = true;               // of this list
  double last_ = 0;
  std::uint64_t count_ = 0, values_ = 0, from_0_ = 0, from_1_ = 0;
};

}  // namespace poolwise
