// How an input is read, and what it may meet. collection/files/ mirrors these.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace poolwise {

enum ProblemCode {
  kFine,
  kTooFewFields,
  kTooManyFields,
  kNotANumber,
  kNotFinite,
  kNotARank,
  kEmptyId,
  kDuplicate,
  kBinary,
  kEmpty,
  kLineTooLong,
  kOutOfMemory,
  kStrayReturn,
  kTopicInTwoParts,
  kNotSimple,
  kUnknownHeader,
  kRankNotWhole,
  kRanksOrScores,
  kStrayMark,
};
enum Ties { kById, kBySingleAndId, kByRankAndId };
enum Duplicates { kError, kFirst, kLast, kBest };

constexpr std::size_t kLongestLine = std::size_t{1} << 24;
constexpr std::size_t kLongestText = 200;

struct Options {
  std::int32_t judgments, layout, ties, duplicates, skip_malformed;
};

struct Problem {
  std::int32_t code = kFine, length = 0;
  std::int64_t line = 0, other = 0;  // other: the first line of a duplicate, or fields expected
  char text[kLongestText] = {};
};

struct Tally {
  std::int64_t count = 0, line = 0;  // how often, and where first
  void add(std::int64_t where) {
    line = count == 0 ? where : std::min(line, where);
    ++count;
  }
};

}  // namespace poolwise
