// Inputs that follow from another one. A language model takes token ids, and beside them a mask, token types and
// positions that are the same for every plain text.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "data/inputs.h"

namespace ascribe::core::study {

// Whether an input of this name goes with token ids: attention_mask, token_type_ids, position_ids.
bool is_companion(const std::string& name);

// The input that data without a name are for: the only one that takes ids and is no companion, if all others are
// companions. Nothing: there is none.
std::optional<size_t> leading_input(std::span<const InputSlot> slots);

// Rows for an input that was not given: ones, zeros, or the numbers of the positions. Nothing: it does not follow from
// the ids.
std::optional<Tensor> companion_rows(const InputSlot& slot, const InputSlot& leading, int64_t rows,
                                     std::vector<std::string>& notes);

// Fails, kind unsupported, if an input of this name is a cache of earlier steps, which a question about one text does
// not have.
void refuse_cache(const std::string& name);

}  // namespace ascribe::core::study
