// One input, line by line, into entries; what becomes of an entry is up to the kind of input.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"
#include "parse.hpp"
#include "table.hpp"
#include "score_or_rank.hpp"

namespace poolwise {

class Input {
 public:
  struct List {
    std::uint32_t topic;
    std::size_t start, length;
  };

  explicit Input(const Options& options) : options_(options) {
    if (options.layout != kAuto) layout_ = layout_of(options.layout);
    layout_known_ = options.layout == kTrec || options.layout == kMemory;
  }
  virtual ~Input() = default;
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // Reads the next bytes, up to the first problem.
  void feed(const char* at, std::size_t size) { feed_text(at, at + size); }

  // Reads the last line, if it has no end, and ranks.
  void finish() {
    if (fine() && carry_.size() > 0) take_carry();
    rest();
    carry_.release();
    if (fine() && entries_ == 0) stop(kEmpty, {}, 0);
    if (fine()) conclude();
  }

  virtual void fail(ProblemCode code) { stop(code, {}, line_); }

  bool fine() const { return problem_.code == kFine; }
  const Problem& problem() const { return problem_; }
  const Tally& skipped() const { return skipped_; }
  const Tally& repeated() const { return repeated_; }
  // Lines with more fields than are read, and lines whose tag is not that of the line before.
  const Tally& longer() const { return longer_; }
  const Tally& renamed() const { return renamed_; }
  const std::string& tag() const { return tag_; }
  const std::vector<List>& lists() const { return lists_; }
  // What the third column of a run without a header was taken for; untold for any other input.
  ValueKind guessed() const { return guessed_; }
  bool ties_by_lower_id() const { return options_.ties != kById && options_.ties != kBySingleAndId; }

 protected:
  // The ids are in the bytes being fed; the rank is 0 unless ranks count. Where the kind of values
  // is untold, their sign is still to be settled.
  virtual void append(const Id& topic, const Id& document, double value, std::int64_t rank) = 0;
  // Takes lines like most, up to one that is not, and returns where that starts.
  virtual const char* take_common_lines(const char* at, const char* end) = 0;
  // The bytes being fed are about to go.
  virtual void pause() = 0;
  // Every line has been read.
  virtual void conclude() = 0;

  // The same for one kind of input, so that all that becomes of a line is one piece of code.
  template <class Kind>
  const char* take_common_lines_of(Kind& kind, const char* at, const char* end) {
    if (line_ == 0 || !layout_known_ || layout_.separator != 0) return at;
    switch (layout_.least) {
      case kTrecRun.least: return take_lines_like<kTrecRun>(kind, at, end);
      case kTrecQrels.least: return take_lines_like<kTrecQrels>(kind, at, end);
      default: return take_lines_like<kThreeColumns>(kind, at, end);
    }
  }
  template <Layout layout, class Kind>
  const char* take_lines_like(Kind& kind, const char* at, const char* end) {
    static const bool modern = has_avx2();
    return modern ? take_lines_by_avx2<layout>(kind, at, end) : take_lines<layout>(kind, at, end);
  }
  template <Layout layout, class Kind>
  POOLWISE_FOR_AVX2 const char* take_lines_by_avx2(Kind& kind, const char* at, const char* end) {
    return take_lines<layout>(kind, at, end);
  }

  bool has_ranks() const { return !options_.judgments && options_.ties == kByRankAndId; }
  void stop(ProblemCode code, std::string_view text, std::int64_t line, std::int64_t other = 0) {
    problem_.code = code;
    problem_.line = line;
    problem_.other = other;
    problem_.length = static_cast<std::int32_t>(std::min(text.size(), kLongestText));
    std::copy_n(text.data(), problem_.length, problem_.text);
  }

  const Options options_;
  std::int64_t line_ = 0;
  Problem problem_;
  Tally repeated_;
  std::vector<List> lists_;
  ValueKind value_kind_ = kScores;  // as the layout or the header tells it
  ValueKind guessed_ = kUntold;
  ThirdColumn third_column_;  // of a run that does not tell it

 private:
  Layout layout_of(int code) const {
    switch (code) {
      case kColumns: return kThreeColumns;
      case kTabs: return kThreeColumnsTabs;
      case kMemory: return options_.judgments ? kMemoryQrels : kMemoryRun;
      default: return options_.judgments ? kTrecQrels : kTrecRun;
    }
  }

  void feed_text(const char* at, const char* end) {
    if (carry_.size() > 0) {
      const char* stop_at = find_end(at, end);
      add_to_carry(at, stop_at ? stop_at : end);
      if (!stop_at || !fine()) return;
      take_carry();
      at = stop_at + 1;
    }
    white_.forget();
    while (fine()) {
      at = take_common_lines(at, end);
      const char* stop_at = fine() ? find_end(at, end) : nullptr;
      if (!stop_at || find_nul(at, stop_at)) break;
      take_line(at, stop_at);
      at = stop_at + 1;
    }
    rest();
    if (fine()) add_to_carry(at, end);
  }
  // Keeps a line of which more is to come; no text has a NUL in it.
  void add_to_carry(const char* at, const char* end) {
    const char* nul = find_nul(at, end);
    carry_.append(at, static_cast<std::size_t>((nul ? nul : end) - at));
    check_length();
    if (fine() && nul) stop(kBinary, {}, line_ + 1);
  }
  void take_carry() {
    take_line(carry_.data(), carry_.data() + carry_.size());
    carry_.clear();  // keeps the bytes in place for what is to be copied from them
  }
  static const char* find_end(const char* at, const char* end) { return find(at, end, '\n'); }
  static const char* find_nul(const char* at, const char* end) { return find(at, end, 0); }
  static const char* find(const char* at, const char* end, char wanted) {
    if (at == end) return nullptr;
    return static_cast<const char*>(std::memchr(at, wanted, static_cast<std::size_t>(end - at)));
  }
  void check_length() {
    if (carry_.size() > kLongestLine) stop(kLineTooLong, {}, line_ + 1);
  }

  template <Layout layout, class Kind>
  POOLWISE_INLINE const char* take_lines(Kind& kind, const char* at, const char* end) {
    while (fine()) {
      const char* stop_at = white_.line_end(at);
      if (!stop_at) {
        if (white_.starts_at(at)) break;  // and all bytes to look at are looked at
        if (!white_.look(at, end)) break;
        continue;
      }
      Fields fields(at);
      const bool common = end - stop_at >= kReadAhead && *at != '#' && *at != kMark[0] &&
                          split_common<layout.least>(white_, at, stop_at, fields);
      if (!common || !take_common<layout>(kind, fields)) break;
      at = stop_at + 1;
    }
    return at;
  }

  // False where there is more to say of a line, which then is taken with more care.
  template <Layout layout, class Kind>
  POOLWISE_INLINE bool take_common(Kind& kind, const Fields& fields) {
    const std::string_view number = fields[layout.value];
    double value;
    if (!parse_common_number(number, value) && !(parse_number(number, value) && std::isfinite(value))) {
      return false;
    }
    std::int64_t rank = 0;
    if (has_ranks()) {
      rank = line_ + 1;
      if (layout.rank >= 0 && !parse_integer(fields[layout.rank], rank)) return false;
    }
    if (value_kind_ == kRanks && std::trunc(value) != value) return false;
    ++line_;
    ++entries_;
    if (layout.tag >= 0) take_tag(Id::readable(fields[layout.tag]));
    kind.append(Id::readable(fields[layout.topic]), Id::readable(fields[layout.document]),
                as_it_counts(value), rank);
    return true;
  }

  void take_line(const char* at, const char* end) {
    ++line_;
    const bool memory = options_.layout == kMemory;
    if (line_ == 1 && !memory && has_mark(at, end)) at += 3;
    while (!memory && end != at && is_space(end[-1])) --end;
    if (!memory && has_mark(at, end)) return malformed(kStrayMark, {});
    if (at == end || (*at == '#' && !memory)) return;
    const std::string_view line(at, static_cast<std::size_t>(end - at));
    if (!layout_known_ && choose_layout(line)) return;
    take_entry(line);
  }

  // Tells the layout from the first line, unless it is given; true when that line is a header.
  bool choose_layout(std::string_view line) {
    layout_known_ = true;
    if (options_.layout == kAuto) {
      const bool columns = split_spaces(line, 4).count() == 3;
      const bool tabs = std::count(line.begin(), line.end(), '\t') == 2;
      layout_ = layout_of(columns ? (tabs ? kTabs : kColumns) : kTrec);
      if (!columns) return false;
    }
    return take_header(line);
  }
  bool take_header(std::string_view line) {
    const Fields fields = split(line, layout_);
    const bool header = is_header(fields);
    if (header || !options_.judgments) {
      value_kind_ = header ? named_kind(fields, options_.judgments != 0) : kUntold;
    }
    if (header && value_kind_ == kUntold) stop(kUnknownHeader, line, line_);
    return header;
  }

  void take_entry(std::string_view line) {
    const Fields fields = split(line, layout_);
    if (fields.count() < layout_.least) return malformed(kTooFewFields, line, layout_.least);
    if (layout_.most && fields.count() > layout_.most) {
      return malformed(kTooManyFields, line, layout_.most);
    }
    if (!layout_.most && has_return(fields[layout_.least - 1], line)) {
      return malformed(kStrayReturn, line);
    }
    if (!layout_.most && has_more(fields[layout_.least - 1], line)) longer_now_ = true;
    take_fields(fields, line);
    longer_now_ = false;
  }

  void take_fields(const Fields& fields, std::string_view line) {
    const std::string_view topic = fields[layout_.topic], document = fields[layout_.document];
    const std::string_view number = fields[layout_.value];
    double value = 0;
    std::int64_t rank = 0;
    if (!parse_number(number, value)) return malformed(kNotANumber, number);
    if (!std::isfinite(value)) return malformed(kNotFinite, number);
    if (document.empty() || topic.empty()) return malformed(kEmptyId, line);
    if (has_ranks()) {
      rank = line_;  // what has no column for ranks is ranked as it stands
      if (layout_.rank >= 0 && !parse_integer(fields[layout_.rank], rank)) {
        return malformed(kNotARank, fields[layout_.rank]);
      }
    }
    if (value_kind_ == kRanks && std::trunc(value) != value) return malformed(kRankNotWhole, number);
    if (layout_.tag >= 0) take_tag(Id(fields[layout_.tag]));
    if (longer_now_) longer_.add(line_);
    ++entries_;
    append(Id(topic), Id(document), as_it_counts(value), rank);
  }

  double as_it_counts(double value) const {
    if (value_kind_ == kRanks) value = -value;
    // trec_eval 9 keeps a score as a float.
    return options_.ties == kBySingleAndId ? static_cast<float>(value) : value;
  }

  // The tag of the line before is in the bytes being fed, or in those before them.
  POOLWISE_INLINE void take_tag(const Id& tag) {
    if (!(tag == last_tag_)) change_tag(tag);
  }
  void change_tag(const Id& tag) {
    if (!last_tag_.text.empty()) renamed_.add(line_);
    last_tag_ = tag;
    tag_is_kept_ = false;
  }
  static bool has_mark(const char* at, const char* end) {
    return end - at >= 3 && std::memcmp(at, kMark, 3) == 0;
  }
  // The line has no white space at its end.
  static bool has_more(std::string_view last_field, std::string_view line) {
    return last_field.data() + last_field.size() != line.data() + line.size();
  }

  // Fields past the last may be ignored, lines may not: CR alone does not end a line.
  static bool has_return(std::string_view last_field, std::string_view line) {
    const char* rest = last_field.data() + last_field.size();
    const char* end = line.data() + line.size();
    return rest != end && std::memchr(rest, '\r', static_cast<std::size_t>(end - rest));
  }

  void malformed(ProblemCode code, std::string_view text, int fields = 0) {
    if (!options_.skip_malformed) return stop(code, text, line_, fields);
    skipped_.add(line_);
  }

  // Keeps what is needed of the bytes being fed.
  void rest() {
    pause();
    if (tag_is_kept_) return;
    tag_.assign(last_tag_.text);
    last_tag_.text = tag_;
    tag_is_kept_ = true;
  }

  static constexpr std::ptrdiff_t kReadAhead = 16;  // bytes behind a common line, for whole words
  static constexpr const char* kMark = "\xEF\xBB\xBF";
  Layout layout_{};
  bool layout_known_ = false;
  Buffer<char> carry_;
  std::int64_t entries_ = 0;
  Tally skipped_, longer_, renamed_;
  bool longer_now_ = false;  // of the line being taken, which may turn out to be malformed
  std::string tag_;
  Id last_tag_{{}};
  bool tag_is_kept_ = true;  // or still in the bytes being fed
  WhiteSpace white_;         // of them
};

}  // namespace poolwise
