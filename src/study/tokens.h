// A row of tokens: what its positions are called, and players made of them.
//   positions  every token by itself
//   words      tokens that make a word together; needs a vocabulary
//   spans:K    K positions in a row
//   groups:F   as for any row (game/players.h), with positions instead of elements
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/vocabulary.h"
#include "game/players.h"

namespace ascribe::core::study {

struct TokenRow {
  std::vector<int64_t> ids;
  std::vector<Token> tokens;  // of each position; "#4711" where there is no text
  bool known = false;         // there is a vocabulary

  size_t length() const { return ids.size(); }
  std::vector<std::string> texts() const;
  std::vector<std::string> names() const;  // "3 good", counted from 0
};

TokenRow token_row(std::vector<int64_t> ids, const Vocabulary* vocabulary);

// For rows of the shape [positions, ...]: all numbers of a position go to the same player. An empty text: positions.
Players token_players(const std::string& text, const TokenRow& row, const Shape& shape);

// Coarser and coarser players, down to two: words, then spans.
std::vector<std::string> coarser_players(const TokenRow& row, int64_t most);

}  // namespace ascribe::core::study
