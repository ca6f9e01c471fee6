// Lets every allocation fail in turn while files are read, with one thread and with two: each failure
// must end in a code, and never in the end of the process. For glibc, whose malloc can be replaced.
//
//   starve [most allocations to try]

#include <cstdio>
#include <cstdlib>

#include "scanner.cpp"

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
}

namespace {

std::atomic<bool> armed{false}, for_good{false}, failed{false};
std::atomic<long> left{0};

// Whether this allocation fails: the one whose turn it is, and those that follow if it is for good.
bool fails() {
  if (!armed) return false;
  const long turn = left--;
  const bool now = turn == 0 || (for_good && turn < 0);
  if (now) failed = true;
  return now;
}

}  // namespace

extern "C" void* malloc(std::size_t size) { return fails() ? nullptr : __libc_malloc(size); }
extern "C" void* calloc(std::size_t count, std::size_t size) {
  return fails() ? nullptr : __libc_calloc(count, size);
}
extern "C" void* realloc(void* old, std::size_t size) {
  return fails() ? nullptr : __libc_realloc(old, size);
}

namespace {

constexpr int kFiles = 4;

std::FILE* run_file(int number) {
  std::FILE* file = std::tmpfile();
  for (int topic = 0; topic < 3; ++topic) {
    for (int i = 0; i < 200; ++i) {
      std::fprintf(file, "%d Q0 document-%d-%d %d %d run\n", topic, i % 7, i * (number + 1), i, 500 - i);
    }
  }
  std::fflush(file);
  return file;
}

struct Run {
  std::FILE* file = nullptr;
  Input* input = nullptr;
};

// Reads the files; true when nothing was told to have gone wrong.
bool read(std::array<Run, kFiles>& runs, Reader* reader, Judged* judged, int threads) {
  poolwise::Options options{};
  std::array<Input*, kFiles> inputs{};
  std::array<int, kFiles> files{}, codes{};
  std::array<std::int64_t, kFiles> starts{}, stops{};
  for (std::size_t i = 0; i < kFiles; ++i) {
    inputs[i] = runs[i].input = poolwise_input_new(reader, &options, judged);
    if (!inputs[i]) return false;
    files[i] = fileno(runs[i].file);
    stops[i] = std::ftell(runs[i].file);
  }
  poolwise_read_files(reader, inputs.data(), files.data(), starts.data(), stops.data(), kFiles, threads,
                      codes.data());
  for (const Input* input : inputs) {
    if (input->problem().code != poolwise::kFine) return false;
  }
  Sizes sizes;
  if (poolwise_seal(reader, inputs.data(), kFiles, &sizes)) return false;
  if (judged) return true;
  armed = false;  // these are Python's to make
  const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
  std::vector<char> topic_data(size(sizes.topic_bytes)), data(size(sizes.document_bytes));
  std::vector<std::int64_t> topic_offsets(size(sizes.topics) + 1), offsets(size(sizes.documents) + 1);
  std::vector<std::int64_t> document_starts(topic_offsets), bytes(topic_offsets);
  std::vector<std::int64_t> lists(kFiles * size(sizes.topics) + 1);
  std::vector<std::int32_t> rankings(size(sizes.entries));
  std::vector<std::uint8_t> tied(size(sizes.entries));
  const Tables out{topic_data.data(), topic_offsets.data(), document_starts.data(), bytes.data(),
                   lists.data(),      data.data(),          offsets.data(),         rankings.data(),
                   tied.data(),       nullptr};
  armed = true;
  const bool fine = !poolwise_lay_out(reader, &out) &&
                    !poolwise_emit(reader, inputs.data(), kFiles, &out, threads);
  armed = false;
  return fine;
}

// One reading in which the allocation of this turn fails; false when there is none left to fail.
bool starve(std::array<Run, kFiles>& runs, long turn, int threads, bool marked) {
  const char* ids = "0document-0-0";
  const std::int64_t topic_offsets[] = {0, 1}, offsets[] = {1, 13}, rows[] = {0, 1};
  const std::int8_t marks[] = {1};
  left = turn;
  failed = false;
  armed = true;
  Reader* reader = poolwise_reader_new(0);
  Judged* judged = marked && reader ? poolwise_judged_new(ids, topic_offsets, 1, ids, offsets, rows,
                                                          marks, -2, 1)
                                    : nullptr;
  bool fine = reader && (judged || !marked) && read(runs, reader, judged, threads);
  armed = false;
  for (Run& run : runs) {
    if (run.input) poolwise_input_free(run.input);
    run.input = nullptr;
  }
  if (judged) poolwise_judged_free(judged);
  if (reader) poolwise_reader_free(reader);
  if (!failed && !fine) std::abort();  // nothing failed, and yet something was wrong
  return failed;
}

}  // namespace

int main(int count, char** arguments) {
  const long most = count > 1 ? std::atol(arguments[1]) : 100000;
  std::array<Run, kFiles> runs;
  for (int i = 0; i < kFiles; ++i) runs[static_cast<std::size_t>(i)].file = run_file(i);
  long tried = 0;
  for (const int threads : {1, 2}) {
    for (const int how : {0, 1, 2, 3}) {
      for_good = how % 2 == 1;
      long turn = 0;
      while (turn < most && starve(runs, turn, threads, how >= 2)) ++turn;
      tried += turn;
    }
  }
  std::printf("%ld allocations failed, none of them ended the process\n", tried);
}
