#include "data/word_pieces.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/ascii.h"
#include "base/error.h"
#include "base/utf8.h"

namespace ascribe::core {

namespace {

constexpr size_t kMostTypedBytes = 20000;
constexpr size_t kLongestTypedWord = 200;  // bytes; longer ones are no words

bool is_space(char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; }
bool is_punctuation(char c) {
  return (c > ' ' && c < '0') || (c > '9' && c < 'A') || (c > 'Z' && c < 'a') || (c > 'z' && c < 0x7f);
}
bool is_marked_special(std::string_view piece) { return piece.starts_with('[') && piece.ends_with(']'); }

struct Habits {
  bool capitals = false;
};

Habits habits_of(const Vocabulary& vocabulary) {
  Habits habits;
  for (int64_t id = 0; id < vocabulary.size(); ++id) {
    const std::string* piece = vocabulary.piece(id);
    if (piece == nullptr || is_marked_special(*piece)) continue;
    if (piece->starts_with("\xC4\xA0") || piece->starts_with("\xE2\x96\x81")) {  // "Ġ", "▁"
      fail(ErrorKind::unsupported, "tokens",
           "the vocabulary is of a tokenizer whose rules are not in it; expected token ids instead of text");
    }
    habits.capitals =
        habits.capitals || std::any_of(piece->begin(), piece->end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  }
  return habits;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : text) {
    if (is_space(c) || is_punctuation(c)) inside = false;
    if (is_space(c)) continue;
    if (is_punctuation(c) || !inside) words.emplace_back();
    words.back() += c;
    inside = !is_punctuation(c);
  }
  return words;
}

// Nothing: some part of it is in no piece.
std::optional<std::vector<int64_t>> pieces_of(const std::string& word, const Vocabulary& vocabulary) {
  std::vector<int64_t> ids;
  for (size_t at = 0; at < word.size();) {
    size_t length = word.size() - at;
    std::optional<int64_t> id;
    for (; length > 0; --length) {
      id = vocabulary.find((at == 0 ? "" : "##") + word.substr(at, length));
      if (id) break;
    }
    if (!id) return std::nullopt;
    ids.push_back(*id);
    at += length;
  }
  return ids;
}

}  // namespace

std::vector<int64_t> word_pieces(std::string_view given, const Vocabulary& vocabulary) {
  if (given.size() > kMostTypedBytes) {
    fail(ErrorKind::argument, "text", "got {} bytes; expected at most {}", given.size(), kMostTypedBytes);
  }
  const Habits habits = habits_of(vocabulary);
  std::string text = mended_utf8(given);
  if (!habits.capitals) {
    for (char& c : text) c = ascii_lower(c);
  }
  const auto unknown = vocabulary.find("[UNK]"), begin = vocabulary.find("[CLS]"), end = vocabulary.find("[SEP]");
  const bool wrapped = begin && end;
  std::vector<int64_t> ids;
  if (wrapped) ids.push_back(*begin);
  for (const std::string& word : words_of(text)) {
    const auto pieces = word.size() > kLongestTypedWord ? std::nullopt : pieces_of(word, vocabulary);
    if (!pieces && !unknown) fail(ErrorKind::argument, "text", "'{}' is not in the vocabulary", word);
    if (pieces) ids.insert(ids.end(), pieces->begin(), pieces->end());
    else ids.push_back(*unknown);
  }
  if (ids.size() <= (wrapped ? 1U : 0U)) fail(ErrorKind::argument, "text", "there are no words in it");
  if (wrapped) ids.push_back(*end);
  return ids;
}

}  // namespace ascribe::core
