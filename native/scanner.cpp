// The C interface of the scanner, called from Python through ctypes (collection/scanner.py).
//
// A reader owns the ids; an input is one file being read. Python opens, decompresses and feeds.
// When every input is finished, the reader is sealed (topics get their byte order), its tables are
// laid out in arrays that Python allocates, and emit fills them, several topics at a time. An input
// that was given judgments keeps their marks and no ids: emit_marks writes those.

#include <atomic>
#include <cerrno>
#include <exception>

#include "compiler.hpp"
#include "parallel.hpp"
#include "reader.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif
#if !defined(_WIN32)
#include <unistd.h>
#endif

using poolwise::Input;
using poolwise::Judged;
using poolwise::Reader;
using poolwise::Sizes;
using poolwise::Tables;
using poolwise::in_parallel;

namespace {

struct Report {
  poolwise::Problem problem;
  std::int64_t skipped, first_skipped, repeated, first_repeated;
  const char* tag;
  std::int64_t tag_length;
  std::int32_t guessed;  // a poolwise::ValueKind
  std::int64_t longer, first_longer, renamed, first_renamed;
};

// Runs the work; a failure to get memory becomes a problem code.
template <class Work>
int guarded(Work work) {
  try {
    work();
    return poolwise::kFine;
  } catch (const std::exception&) {
    return poolwise::kOutOfMemory;
  }
}

// What was freed in many small pieces goes back to the system, before more is asked of it.
void give_back() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace

EXPORT Reader* poolwise_reader_new(int lone) {
  Reader* reader = nullptr;
  guarded([&] { reader = new Reader(lone != 0); });
  return reader;
}

EXPORT void poolwise_reader_free(Reader* reader) {
  delete reader;
  give_back();
}

// Ends whatever is being done for a reader, from any thread; what it has is then of no use.
EXPORT void poolwise_stop(Reader* reader) { reader->stopped = true; }

// The judgments must outlive the inputs that are given their marks.
EXPORT Judged* poolwise_judged_new(const char* topic_data, const std::int64_t* topic_offsets,
                                   std::int64_t topics, const char* data,
                                   const std::int64_t* offsets, const std::int64_t* starts,
                                   const std::int8_t* marks, int other, int counts_unknown) {
  Judged* judged = nullptr;
  guarded([&] {
    judged = new Judged({topic_data, topic_offsets}, topics, {data, offsets}, starts, marks,
                        static_cast<std::int8_t>(other), counts_unknown != 0);
  });
  return judged;
}

EXPORT void poolwise_judged_free(Judged* judged) { delete judged; }

// Keeps all documents of an input, or nothing but the marks of judgments where there are any.
EXPORT Input* poolwise_input_new(Reader* reader, const poolwise::Options* options,
                                 const Judged* judged) {
  Input* input = nullptr;
  guarded([&] {
    if (judged) {
      input = new poolwise::Marked(reader->topics, *judged, *options);
    } else {
      input = new poolwise::Collected(reader->topics, *options);
    }
  });
  return input;
}

EXPORT void poolwise_input_free(Input* input) { delete input; }

EXPORT int poolwise_input_feed(Input* input, const char* data, std::int64_t size) {
  const int code = guarded([&] { input->feed(data, static_cast<std::size_t>(size)); });
  if (code != poolwise::kFine) input->fail(poolwise::kOutOfMemory);
  return input->problem().code;
}

EXPORT int poolwise_input_finish(Input* input) {
  const int code = guarded([&] { input->finish(); });
  if (code != poolwise::kFine) input->fail(poolwise::kOutOfMemory);
  return input->problem().code;
}

#if !defined(_WIN32)
namespace {

constexpr std::int64_t kFileBlock = 1 << 18;

// As many bytes of a file as there are from start, up to size; −1 when the system refuses them.
std::int64_t read_some(int file, char* block, std::size_t size, std::int64_t start) {
  ssize_t count;
  do {
    count = pread(file, block, size, start);
  } while (count < 0 && errno == EINTR);
  return count;
}

// Feeds the bytes of an open plain file from start up to stop. −1 when they cannot all be had.
int feed_file(const Reader& reader, Input* input, int file, std::int64_t start, std::int64_t stop) {
  std::int64_t count = 1;
  const int code = guarded([&] {
    std::vector<char> block(kFileBlock);
    while (start < stop && count > 0 && !reader.stopped && input->problem().code == poolwise::kFine) {
      const auto size = static_cast<std::size_t>(std::min<std::int64_t>(kFileBlock, stop - start));
      count = read_some(file, block.data(), size, start);
      if (count > 0) input->feed(block.data(), static_cast<std::size_t>(count));
      start += count;
    }
  });
  if (code != poolwise::kFine) input->fail(poolwise::kOutOfMemory);
  return count <= 0 ? -1 : input->problem().code;
}

}  // namespace

// Reads plain files to their ends, several at a time. A code is that of the problem met, or −1.
EXPORT void poolwise_read_files(const Reader* reader, Input* const* inputs, const int* files,
                                const std::int64_t* starts, const std::int64_t* stops,
                                std::int64_t count, int threads, int* codes) {
  in_parallel(count, threads, [&](std::int64_t i) {
    codes[i] = feed_file(*reader, inputs[i], files[i], starts[i], stops[i]);
    if (codes[i] == poolwise::kFine && !reader->stopped) poolwise_input_finish(inputs[i]);
  });
}
#endif

EXPORT void poolwise_input_report(const Input* input, Report* report) {
  report->problem = input->problem();
  report->skipped = input->skipped().count;
  report->first_skipped = input->skipped().line;
  report->repeated = input->repeated().count;
  report->first_repeated = input->repeated().line;
  report->tag = input->tag().data();
  report->tag_length = static_cast<std::int64_t>(input->tag().size());
  report->guessed = input->guessed();
  report->longer = input->longer().count;
  report->first_longer = input->longer().line;
  report->renamed = input->renamed().count;
  report->first_renamed = input->renamed().line;
}

EXPORT int poolwise_seal(Reader* reader, Input* const* inputs, std::int64_t count, Sizes* sizes) {
  const int code =
      guarded([&] { seal(*reader, inputs, static_cast<std::size_t>(count), *sizes); });
  if (code != poolwise::kFine) return code;
  return shares_topics(*reader) ? poolwise::kTopicInTwoParts : poolwise::kFine;
}

EXPORT int poolwise_lay_out(Reader* reader, const Tables* tables) {
  return guarded([&] { lay_out(*reader, *tables); });
}

// Fills the arrays, several topics at a time.
EXPORT int poolwise_emit(Reader* reader, Input* const* inputs, std::int64_t count,
                         const Tables* tables, int threads) {
  std::atomic<int> failed{poolwise::kFine};
  in_parallel(static_cast<std::int64_t>(reader->order.size()), threads, [&](std::int64_t topic) {
    if (reader->stopped) return;
    const int code = guarded([&] {
      emit_topic(*reader, inputs, static_cast<std::size_t>(count), static_cast<std::size_t>(topic),
                 *tables);
    });
    if (code != poolwise::kFine) failed = code;
  });
  return failed;
}

EXPORT void poolwise_emit_marks(const Reader* reader, Input* const* inputs,
                                const poolwise::MarkTable* table) {
  emit_marks(*reader, inputs, *table);
}

// Call once; before emit_marks, it leaves memory for the marks. `width` is the bytes of a count.
EXPORT void poolwise_emit_best_ranks(Reader* reader, Input* const* inputs, const std::int64_t* rows,
                                     std::int64_t depth, void* counts, int width) {
  switch (width) {
    case 1: return emit_best_ranks(*reader, inputs, rows, depth, static_cast<std::uint8_t*>(counts));
    case 2: return emit_best_ranks(*reader, inputs, rows, depth, static_cast<std::uint16_t*>(counts));
    default: emit_best_ranks(*reader, inputs, rows, depth, static_cast<std::uint32_t*>(counts));
  }
}

// Finds the documents of one sorted table in another. `pairs` holds, for each topic of the first
// table, the topic of the second, −1 for none; `rows` gets the second table's row or −1.
EXPORT void poolwise_match(const char* data, const std::int64_t* offsets,
                           const std::int64_t* starts, std::int64_t topics,
                           const std::int64_t* pairs, const char* other_data,
                           const std::int64_t* other_offsets, const std::int64_t* other_starts,
                           std::int32_t* rows) {
  const auto id = [](const char* from, const std::int64_t* at, std::int64_t row) {
    return std::string_view(from + at[row], static_cast<std::size_t>(at[row + 1] - at[row]));
  };
  std::fill(rows, rows + starts[topics], -1);
  for (std::int64_t t = 0; t < topics; ++t) {
    if (pairs[t] < 0) continue;
    std::int64_t low = starts[t];
    for (std::int64_t other = other_starts[pairs[t]]; other < other_starts[pairs[t] + 1]; ++other) {
      const std::string_view wanted = id(other_data, other_offsets, other);
      for (std::int64_t high = starts[t + 1]; low < high;) {
        const std::int64_t middle = low + (high - low) / 2;
        if (id(data, offsets, middle) < wanted) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      if (low < starts[t + 1] && id(data, offsets, low) == wanted) {
        rows[low] = static_cast<std::int32_t>(other);
      }
    }
  }
}
