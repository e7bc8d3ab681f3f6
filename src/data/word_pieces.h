// Text as token ids by WordPiece: words and punctuation apart, then the longest pieces of the vocabulary, those that go
// on within a word with "##" before them. As BERT's tokenizer does it, but for accents, which stay. Vocabularies of
// other tokenizers need rules that are not in them, and are refused.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "data/vocabulary.h"

namespace ascribe::core {

// With [CLS] before and [SEP] behind, if the vocabulary has both. Capitals are kept if the vocabulary has some. A word
// that has no pieces is [UNK]; without one it is refused, kind argument.
std::vector<int64_t> word_pieces(std::string_view text, const Vocabulary& vocabulary);

}  // namespace ascribe::core
