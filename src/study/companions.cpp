#include "study/companions.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "base/ascii.h"
#include "tensor/rows.h"

namespace ascribe::core::study {

namespace {

enum class Follows { ones, zeros, positions };

struct Companion {
  std::string_view word;
  Follows follows;
  std::string_view text;
};

constexpr std::array<Companion, 4> kCompanions = {{{"mask", Follows::ones, "1 everywhere"},
                                                   {"token_type", Follows::zeros, "0 everywhere"},
                                                   {"segment", Follows::zeros, "0 everywhere"},
                                                   {"position", Follows::positions, "0, 1, 2, ..."}}};

const Companion* companion_named(const std::string& name) {
  const std::string text = ascii_lower(name);
  for (const Companion& one : kCompanions) {
    if (text.find(one.word) != std::string::npos) return &one;
  }
  return nullptr;
}

}  // namespace

bool is_companion(const std::string& name) { return companion_named(name) != nullptr; }

void refuse_cache(const std::string& name) {
  const std::string text = ascii_lower(name);
  if (!text.starts_with("past_") && !text.starts_with("past.")) return;
  fail(ErrorKind::unsupported, name,
       "the model takes a cache of earlier steps; expected one that was exported without it (use_cache=False)");
}

std::optional<size_t> leading_input(std::span<const InputSlot> slots) {
  std::optional<size_t> leading;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (is_companion(slots[i].name)) continue;
    if (leading || slots[i].dtype != DType::i64) return std::nullopt;
    leading = i;
  }
  return leading;
}

std::optional<Tensor> companion_rows(const InputSlot& slot, const InputSlot& leading, int64_t rows,
                                     std::vector<std::string>& notes) {
  const Companion* companion = companion_named(slot.name);
  if (companion == nullptr || leading.dtype != DType::i64 || slot.row != leading.row ||
      slot.batched != leading.batched) {
    return std::nullopt;
  }
  std::vector<double> row(static_cast<size_t>(element_count(slot.row)), companion->follows == Follows::ones ? 1 : 0);
  if (companion->follows == Follows::positions) std::iota(row.begin(), row.end(), 0.0);
  const std::string note = fmt::format("the input '{}' is not given: it is {}", slot.name, companion->text);
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  Tensor one = Tensor::of<double>(slot.batched ? with_rows(slot.row, 1) : slot.row, row).cast(slot.dtype);
  return slot.batched ? repeated_row(one, rows) : one;
}

}  // namespace ascribe::core::study
