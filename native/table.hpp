// Interned ids: bytes one after another, found again through a hash table of 4-byte slots.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <type_traits>
#include <vector>

namespace poolwise {

// A growable array of plain values. Unlike std::vector it grows by realloc, which moves the pages
// of a large block instead of copying them, so that growing never holds two copies in memory.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer() { std::free(data_); }

  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  void push(T value) {
    if (size_ == capacity_) reserve(size_ + 1);
    data_[size_++] = value;
  }
  void append(const T* values, std::size_t count) {
    if (count == 0) return;
    if (capacity_ - size_ < count) reserve(size_ + count);
    std::memcpy(data_ + size_, values, count * sizeof(T));
    size_ += count;
  }
  void resize(std::size_t size) {
    if (size > capacity_) reallocate(size);
    size_ = size;
  }
  void shrink() {
    if (size_ < capacity_) reallocate(std::max<std::size_t>(size_, 1));
  }
  void clear() { size_ = 0; }
  void release() { Buffer().swap(*this); }

  std::size_t size() const { return size_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  void reserve(std::size_t least) {
    reallocate(std::max({least, capacity_ + capacity_ / 2, std::size_t{64}}));
  }
  void reallocate(std::size_t capacity) {
    void* moved = std::realloc(data_, capacity * sizeof(T));
    if (moved == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(moved);
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// Up to eight bytes as a big-endian number, padded with zeros: it compares as the bytes do.
inline std::uint64_t big_endian(const char* at, std::size_t length) {
  if (length >= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    return __builtin_bswap64(word);
  }
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < length; ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(at[i])} << (56 - 8 * i);
  }
  return word;
}

inline std::uint32_t hash_of(std::string_view id) {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15;
  std::uint64_t hash = id.size() * kMultiplier;
  const char* at = id.data();
  std::size_t left = id.size();
  for (; left > 8; at += 8, left -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 29;
  }
  std::uint64_t tail = 0;
  if (id.size() >= 8) {
    std::memcpy(&tail, id.data() + id.size() - 8, 8);
  } else {
    std::memcpy(&tail, at, left);
  }
  hash = (hash ^ tail) * kMultiplier;
  hash ^= hash >> 32;
  return static_cast<std::uint32_t>((hash * kMultiplier) >> 32);
}

// A set of ids; an id's code counts the ids before it in the order of arrival.
class IdSet {
 public:
  std::size_t size() const { return ends_.size(); }
  std::size_t bytes() const { return arena_.size(); }
  std::string_view operator[](std::size_t code) const {
    const std::uint32_t begin = code == 0 ? 0 : ends_[code - 1];
    return {arena_.data() + begin, ends_[code] - begin};
  }

  std::uint32_t intern(std::string_view id) {
    if ((size() + 1) * 4 > slots_.size() * 3) rehash();
    std::uint32_t& slot = slot_of(id);
    if (slot == 0) {
      if (arena_.size() + id.size() > UINT32_MAX) throw std::bad_alloc();
      arena_.append(id.data(), id.size());
      ends_.push(static_cast<std::uint32_t>(arena_.size()));
      slot = static_cast<std::uint32_t>(size());
    }
    return slot - 1;
  }

  // Gives back what only growing needs; the next intern makes it anew.
  void pack() {
    slots_.release();
    arena_.shrink();
    ends_.shrink();
  }
  void release() {
    slots_.release();
    arena_.release();
    ends_.release();
  }

  // Codes in byte order of their ids.
  std::vector<std::uint32_t> sorted() const {
    std::vector<Key> keys(size());
    for (std::size_t i = 0; i < size(); ++i) keys[i] = key_of(static_cast<std::uint32_t>(i));
    std::sort(keys.begin(), keys.end(), [this](const Key& a, const Key& b) {
      if (a.high != b.high) return a.high < b.high;
      if (a.low != b.low) return a.low < b.low;
      return (*this)[a.code] < (*this)[b.code];
    });
    std::vector<std::uint32_t> codes(size());
    std::transform(keys.begin(), keys.end(), codes.begin(), [](const Key& k) { return k.code; });
    return codes;
  }

 private:
  struct Key {
    std::uint64_t high, low;
    std::uint32_t code;
  };

  Key key_of(std::uint32_t code) const {
    const std::string_view id = (*this)[code];
    const std::size_t past = std::min<std::size_t>(id.size(), 8);
    return {big_endian(id.data(), id.size()), big_endian(id.data() + past, id.size() - past), code};
  }

  std::uint32_t& slot_of(std::string_view id) {
    std::size_t at = (std::uint64_t{hash_of(id)} * slots_.size()) >> 32;
    while (slots_[at] != 0 && (*this)[slots_[at] - 1] != id) {
      if (++at == slots_.size()) at = 0;
    }
    return slots_[at];
  }

  void rehash() {
    const std::size_t wanted = std::max<std::size_t>(16, size() * 2 + 2);
    slots_.resize(wanted);
    std::memset(slots_.data(), 0, wanted * sizeof(std::uint32_t));
    for (std::size_t code = 0; code < size(); ++code) {
      slot_of((*this)[code]) = static_cast<std::uint32_t>(code + 1);
    }
  }

  Buffer<char> arena_;
  Buffer<std::uint32_t> ends_;
  Buffer<std::uint32_t> slots_;
};

}  // namespace poolwise
