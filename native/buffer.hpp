// An array that grows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

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

  // All bytes 0, which fresh memory of the system is anyway.
  static Buffer zeros(std::size_t size) {
    Buffer made;
    made.data_ = static_cast<T*>(std::calloc(std::max<std::size_t>(size, 1), sizeof(T)));
    if (made.data_ == nullptr) throw std::bad_alloc();
    made.size_ = made.capacity_ = size;
    return made;
  }

  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  void push(T value) {
    if (size_ == capacity_) reserve(size_ + 1);
    data_[size_++] = value;
  }
  // One more value, to be filled where it lies.
  T& add() {
    if (size_ == capacity_) reserve(size_ + 1);
    return data_[size_++];
  }
  void append(const T* values, std::size_t count) {
    if (count == 0) return;
    if (capacity_ - size_ < count) reserve(size_ + count);
    std::memcpy(data_ + size_, values, count * sizeof(T));
    size_ += count;
  }
  void resize(std::size_t size) {
    if (size > capacity_) reserve(size);
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
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

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

}  // namespace poolwise
