// What token ids mean: a vocabulary as tokenizers write it. Text is not turned into ids here.
//   vocab.txt       a token per line; the id is the number of the line, from 0
//   tokenizer.json  of Hugging Face's tokenizers: model.vocab and added_tokens
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json.h"

namespace ascribe::core {

// A token as people read it.
struct Token {
  std::string text;           // without the marks of the tokenizer, spaces included
  bool begins_word = true;    // nothing joins it to the token before
  bool special = false;       // [CLS], <s>: not part of the text
  bool space_before = false;  // in running text
};

class Vocabulary {
 public:
  // Told apart by their content. Complaints name `where`.
  static Vocabulary read(const std::string& path);
  static Vocabulary parse(const std::string& text, const std::string& where);

  int64_t size() const { return static_cast<int64_t>(pieces_.size()); }
  // As the file has it; nothing: no token has this id.
  const std::string* piece(int64_t id) const;
  std::optional<int64_t> find(std::string_view piece) const;
  // The tokens of a row, and whether they join; ids without a token are "#4711".
  std::vector<Token> tokens(const std::vector<int64_t>& ids) const;

  std::optional<int64_t> pad() const;   // [PAD], <pad>, ...
  std::optional<int64_t> mask() const;  // [MASK], <mask>

 private:
  // How pieces say where words begin: "##ing" goes on, or "Ġgood" and "▁good" begin, the former in letters that stand
  // for bytes.
  enum class Marks { none, wordpiece, bytes, space };

  void add(int64_t id, std::string piece, bool special, const std::string& where);
  void add_tokenizer(const Json& json, const std::string& where);
  void find_marks();
  Token token(int64_t id) const;
  bool is_special(int64_t id) const;

  int64_t most_ids_ = 0;
  std::vector<std::string> pieces_;  // by id; empty: none
  std::vector<bool> special_;
  std::unordered_map<std::string, int64_t> ids_;
  Marks marks_ = Marks::none;
};

}  // namespace ascribe::core
