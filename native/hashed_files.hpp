// Files whose hashes are made at the same time: whenever one has ended, the next takes its lane.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sha256.hpp"

namespace poolwise {

// What is told of a file. The hash is that of all its bytes where it was not changed meanwhile.
struct HashedFile {
  std::int64_t size = 0, changed = 0;  // bytes, and nanoseconds of the last change
  std::int32_t known = 0;
  unsigned char hash[32] = {};
};

// A file being hashed, some of whose bytes lie in a buffer.
class Lane {
 public:
  Lane() = default;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane() { close_file(); }

  bool busy() const { return file_ >= 0; }
  // Bytes of whole blocks that wait to be hashed, and where they are.
  std::size_t waiting() const { return past_ - at_; }
  const unsigned char* next() const { return bytes_.data() + at_; }
  void take(std::size_t size) { at_ += size; }
  // Whether the last block of the file is hashed.
  bool ended() const { return padded_ && at_ == past_; }

  // False where there is no such file to read.
  bool open_file(const char* path, HashedFile& told) {
    file_ = open(path, O_RDONLY | O_CLOEXEC);
    if (file_ < 0) return false;
    told_ = &told;
    at_ = past_ = 0;
    size_ = 0;
    padded_ = false;
    bytes_.resize(kBytes + 2 * kShaBlock);
    if (stamp(told.size, told.changed) && fill()) return true;
    close_file();
    return false;
  }

  // Reads on; false where the system refuses.
  bool fill() {
    std::size_t count = 0;
    while (count < kBytes) {
      const ssize_t more = read(file_, bytes_.data() + count, kBytes - count);
      if (more < 0 && errno == EINTR) continue;
      if (more < 0) return false;
      if (more == 0) break;
      count += static_cast<std::size_t>(more);
    }
    size_ += count;
    at_ = 0;
    past_ = count;
    if (count < kBytes) pad();
    return true;
  }

  // A file that was changed as it was read has no hash that would be true.
  void close_file() {
    if (!busy()) return;
    std::int64_t size = 0, changed = 0;
    const bool same = stamp(size, changed) && size == told_->size && changed == told_->changed;
    told_->known = ended() && same;
    close(file_);
    file_ = -1;
  }
  HashedFile& told() const { return *told_; }

 private:
  // A bit that is 1, as many zeros as it takes, and how many bits there are (FIPS 180-4 §5.1.1).
  void pad() {
    const std::size_t whole = (past_ + 8) / kShaBlock * kShaBlock + kShaBlock;
    std::memset(bytes_.data() + past_, 0, whole - past_);
    bytes_[past_] = 0x80;
    for (std::size_t i = 0; i < 8; ++i) {
      bytes_[whole - 1 - i] = static_cast<unsigned char>(size_ * 8 >> (8 * i));
    }
    past_ = whole;
    padded_ = true;
  }

  bool stamp(std::int64_t& size, std::int64_t& changed) const {
    struct stat found;
    if (fstat(file_, &found) != 0) return false;
#if defined(__APPLE__)
    const timespec& when = found.st_mtimespec;
#else
    const timespec& when = found.st_mtim;
#endif
    size = static_cast<std::int64_t>(found.st_size);
    changed = static_cast<std::int64_t>(when.tv_sec) * 1'000'000'000 + when.tv_nsec;
    return true;
  }

  static constexpr std::size_t kBytes = 1 << 15;  // of all lanes together, less than a cache

  int file_ = -1;
  HashedFile* told_ = nullptr;
  std::vector<unsigned char> bytes_;
  std::size_t at_ = 0, past_ = 0;
  std::uint64_t size_ = 0;
  bool padded_ = false;
};

class FileHasher {
 public:
  FileHasher(const char* paths, std::int64_t count, HashedFile* files,
             const std::atomic<std::int32_t>& stopped)
      : path_(paths), left_(count), file_(files), stopped_(stopped) {}

  void run(std::size_t lanes) {
    for (std::size_t i = 0; i < lanes; ++i) start_next(i);
    while (!stopped_ && std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& l) { return l.busy(); })) {
      step(lanes);
    }
  }

 private:
  // Hashes as much as every file has waiting.
  void step(std::size_t lanes) {
    static const std::array<unsigned char, kShaBlock> kNothing{};
    std::size_t size = SIZE_MAX;
    for (const Lane& lane : lanes_) {
      if (lane.busy()) size = std::min(size, lane.waiting());
    }
    ShaBlocks blocks;
    blocks.fill(kNothing.data());
    for (std::size_t i = 0; i < lanes; ++i) {
      if (lanes_[i].busy()) {
        blocks[i] = lanes_[i].next();
      } else {
        size = std::min(size, kShaBlock);  // there is but one block of nothing
      }
    }
    (lanes == 16 ? hash_blocks_16 : hash_blocks_8)(state_, blocks, size);
    for (std::size_t i = 0; i < lanes; ++i) {
      if (lanes_[i].busy()) go_on(i, size);
    }
  }

  void go_on(std::size_t i, std::size_t hashed) {
    Lane& lane = lanes_[i];
    lane.take(hashed);
    if (lane.waiting() > 0) return;
    if (!lane.ended() && lane.fill()) return;
    write_hash(i);
    lane.close_file();
    start_next(i);
  }

  void write_hash(std::size_t i) {
    for (std::size_t word = 0; word < kShaWords; ++word) {
      for (std::size_t byte = 0; byte < 4; ++byte) {
        lanes_[i].told().hash[4 * word + byte] =
            static_cast<unsigned char>(state_[word][i] >> (24 - 8 * byte));
      }
    }
  }

  // What cannot be read is passed over: it is told where the file is read.
  void start_next(std::size_t i) {
    for (std::size_t word = 0; word < kShaWords; ++word) state_[word][i] = kShaStart[word];
    while (left_ > 0) {
      const char* path = path_;
      path_ += std::strlen(path) + 1;
      --left_;
      if (lanes_[i].open_file(path, *file_++)) return;
    }
  }

  const char* path_;
  std::int64_t left_;
  HashedFile* file_;
  const std::atomic<std::int32_t>& stopped_;
  std::array<Lane, kMostLanes> lanes_;
  ShaState state_{};
};

}  // namespace poolwise
