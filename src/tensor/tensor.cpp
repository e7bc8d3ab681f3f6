#include "tensor/tensor.h"

#include <cstdlib>
#include <cstring>

#include <sys/mman.h>

#include "base/checked.h"
#include "base/sanitizer.h"

namespace ascribe::core {

namespace {

// From here on pages come from the system: they are zero, large where it can, and go back at once.
#ifdef ASCRIBE_ADDRESS_SANITIZER
constexpr size_t kWholePages = std::numeric_limits<size_t>::max();  // it watches the edges of its own memory only
#else
constexpr size_t kWholePages = size_t{4} << 20;
#endif

struct Pages {
  size_t bytes;
  void operator()(void* memory) const { ::munmap(memory, bytes); }
};

std::shared_ptr<void> allocate(size_t bytes, bool zero) {
  if (bytes >= kWholePages) {
    void* pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages != MAP_FAILED) {
      ::madvise(pages, bytes, MADV_HUGEPAGE);
      return {pages, Pages{bytes}};
    }
  }
  const size_t rounded = (bytes + 64) / 64 * 64;  // never 0, a multiple of the alignment
  void* memory = std::aligned_alloc(64, rounded);
  if (memory == nullptr) {
    fail(ErrorKind::argument, "memory", "cannot allocate {} bytes; use a smaller batch or a lower `memory`", bytes);
  }
  if (zero) std::memset(memory, 0, bytes);
  return {memory, std::free};
}

}  // namespace

std::string_view to_string(DType dtype) {
  switch (dtype) {
    case DType::f32: return "float32";
    case DType::f64: return "float64";
    case DType::i64: return "int64";
    case DType::boolean: return "bool";
  }
  return "unknown";
}

size_t size_of(DType dtype) {
  return visit(dtype, []<class T>(T) { return sizeof(T); });
}

Tensor::Tensor(DType dtype, Shape shape) : dtype_(dtype), shape_(std::move(shape)), size_(element_count(shape_)) {
  checked_multiply(size_, static_cast<int64_t>(size_of(dtype)), "tensor");
  auto storage = allocate(bytes(), true);
  memory_ = storage.get();
  owner_ = std::move(storage);
}

Tensor Tensor::borrow(DType dtype, Shape shape, std::shared_ptr<const void> owner, const void* memory) {
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = std::move(shape);
  tensor.size_ = element_count(tensor.shape_);
  tensor.owner_ = std::move(owner);
  tensor.memory_ = memory;
  tensor.borrowed_ = true;
  return tensor;
}

void Tensor::make_private() {
  if (!borrowed_ && owner_.use_count() == 1) return;
  auto storage = allocate(bytes(), false);
  if (memory_ != nullptr) std::memcpy(storage.get(), memory_, bytes());
  memory_ = storage.get();
  owner_ = std::move(storage);
  borrowed_ = false;
}

Tensor Tensor::reshaped(Shape shape) const {
  require(element_count(shape) == size_, "tensor", "reshape changes the number of elements");
  Tensor result = *this;
  result.shape_ = std::move(shape);
  return result;
}

Tensor Tensor::cast(DType dtype) const {
  if (dtype == dtype_) return *this;
  Tensor result(dtype, shape_);
  visit(dtype_, [&]<class From>(From) {
    const auto from = data<From>();
    visit(dtype, [&]<class To>(To) {
      auto to = result.mutable_data<To>();
      for (size_t i = 0; i < to.size(); ++i) to[i] = convert_element<To>(from[i]);
    });
  });
  return result;
}

double Tensor::at(int64_t index) const {
  require(index >= 0 && index < size_, "tensor", "index out of range");
  return visit(dtype_, [&]<class T>(T) { return static_cast<double>(data<T>()[static_cast<size_t>(index)]); });
}

}  // namespace ascribe::core
