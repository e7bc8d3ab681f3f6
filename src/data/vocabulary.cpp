#include "data/vocabulary.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json_place.h"

namespace ascribe::core {

namespace {

constexpr size_t kLargestVocabulary = size_t{1} << 28;
constexpr int64_t kMostTokens = int64_t{1} << 23;
constexpr int64_t kAlwaysIds = int64_t{1} << 18;  // that a file of any size may use
constexpr std::string_view kContinues = "##";
constexpr std::string_view kByteSpace = "\xc4\xa0";    // Ġ: the space in the letters of bytes
constexpr std::string_view kSpace = "\xe2\x96\x81";    // ▁
constexpr std::string_view kByteNewline = "\xc4\x8a";  // Ċ
constexpr std::array<std::string_view, 4> kPads = {"[PAD]", "<pad>", "<|pad|>", "<|padding|>"};
constexpr std::array<std::string_view, 2> kMasks = {"[MASK]", "<mask>"};

// The letter that byte-level tokenizers write for a byte: itself where it is visible, otherwise one from U+0100 on.
class ByteLetters {
 public:
  ByteLetters() {
    uint32_t next = 0x100;
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const bool visible = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
      bytes_[visible ? byte : next++] = static_cast<char>(byte);
    }
  }
  // The text that letters stand for; as it is if one of them is none of ours.
  std::string decoded(const std::string& letters) const {
    std::string text;
    for (size_t i = 0; i < letters.size();) {
      const auto first = static_cast<unsigned char>(letters[i]);
      const bool two = (first & 0xE0) == 0xC0 && i + 1 < letters.size();
      const uint32_t code = two ? (first & 0x1Fu) << 6 | (static_cast<unsigned char>(letters[i + 1]) & 0x3Fu) : first;
      const auto found = bytes_.find(code);
      if ((first >= 0x80 && !two) || found == bytes_.end()) return letters;
      text += found->second;
      i += two ? 2 : 1;
    }
    return text;
  }

 private:
  std::unordered_map<uint32_t, char> bytes_;
};

std::string decoded_bytes(const std::string& letters) {
  static const ByteLetters table;
  return table.decoded(letters);
}

// [CLS], <s>, <|endoftext|>: as files without a list of them call theirs.
bool looks_special(std::string_view piece) {
  if (piece.size() < 3) return false;
  const bool square = piece.front() == '[' && piece.back() == ']';
  const bool angle = piece.front() == '<' && piece.back() == '>';
  return (square || angle) && piece.find(' ') == std::string_view::npos;
}

bool is_letter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || is_ascii_letter_or_digit(c) || c == '\'';
}

bool only_punctuation(const std::string& text) { return std::none_of(text.begin(), text.end(), is_letter); }

// A space that stands for itself: the word comes behind it.
bool only_spaces(const std::string& text) { return text.find_first_not_of(' ') == std::string::npos; }

std::string with_spaces(std::string_view text, std::string_view mark) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(mark, at), text.size());
    result += text.substr(at, end - at);
    if (end < text.size()) result += ' ';
    at = end + mark.size();
  }
  return result;
}

// Spaces that are all there is stay.
void trim(std::string& text) {
  constexpr std::string_view kBlank = " \n\t\r";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string::npos) return;
  text = text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

}  // namespace

Vocabulary Vocabulary::read(const std::string& path) { return parse(read_file(path, kLargestVocabulary), path); }

Vocabulary Vocabulary::parse(const std::string& text, const std::string& where) {
  Vocabulary vocabulary;
  if (text.find('\0') != std::string::npos) {
    fail(ErrorKind::io, where, "this is not text; expected a tokenizer.json, or a text file with a token per line");
  }
  // Ids are places of a table, and a file that names all of them has more bytes than ids.
  vocabulary.most_ids_ = std::clamp(std::ssize(text), kAlwaysIds, kMostTokens);
  const size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = where.ends_with(".json") ||
                    (first != std::string::npos && text[first] == '{' && text.find("\"model\"") != std::string::npos);
  if (json) {
    vocabulary.add_tokenizer(parse_json(text, where), where);
  } else {
    int64_t id = 0;
    for (size_t at = 0; at < text.size(); ++id) {
      const size_t end = std::min(text.find('\n', at), text.size());
      std::string piece = text.substr(at, end - at);
      if (piece.ends_with('\r')) piece.pop_back();
      const bool special = looks_special(piece);
      vocabulary.add(id, std::move(piece), special, where);
      at = end + 1;
    }
  }
  if (vocabulary.ids_.empty()) {
    fail(ErrorKind::io, where, "there are no tokens; expected a tokenizer.json, or a text file with a token per line");
  }
  vocabulary.find_marks();
  return vocabulary;
}

void Vocabulary::add(int64_t id, std::string piece, bool special, const std::string& where) {
  if (id < 0 || id >= most_ids_) {
    fail(ErrorKind::io, where, "a token has the id {}; expected 0 to {} in a file of this size", id, most_ids_ - 1);
  }
  const auto at = static_cast<size_t>(id);
  if (at >= pieces_.size()) pieces_.resize(at + 1), special_.resize(at + 1, false);
  if (!piece.empty()) ids_.try_emplace(piece, id);
  pieces_[at] = std::move(piece);
  special_[at] = special;
}

// WordPiece and BPE map pieces to ids, Unigram lists [piece, score]; a bare {piece: id} is a vocab.json.
void Vocabulary::add_tokenizer(const Json& json, const std::string& where) {
  const JsonPlace file(json, where);
  const bool whole = file.has("model");
  const JsonPlace vocab = whole ? file.at("model").at("vocab") : file;
  if (vocab.json().is_list()) {
    const auto entries = static_cast<int64_t>(vocab.length());
    if (entries > kMostTokens) vocab.refuse("has too many tokens");
    for (int64_t id = 0; id < entries; ++id) {
      const JsonPlace entry = vocab.item(static_cast<size_t>(id));
      if (entry.length() == 0) entry.refuse("is empty; expected a piece and its score");
      add(id, entry.item(0).text(), false, where);
    }
  } else {
    for (const auto& [piece, id] : vocab.members()) {
      if (!id.is_integer() || id.number() < 0 || id.number() >= static_cast<double>(kMostTokens)) {
        vocab.refuse(fmt::format("gives the token '{}' {}; expected an id from 0 to {}", piece,
                                 id.is_number() ? "a number that is none" : id.type_name(), kMostTokens - 1));
      }
      add(id.integer(), piece, looks_special(piece), where);
    }
  }
  if (!whole || !file.has("added_tokens")) return;
  for (const JsonPlace& added : file.at("added_tokens").items()) {
    const bool special = added.has("special") && added.at("special").truth();
    add(added.at("id").whole(0, kMostTokens - 1), added.text("content"), special, where);
  }
}

void Vocabulary::find_marks() {
  std::array<int64_t, 3> counts{};
  for (const std::string& piece : pieces_) {
    if (piece.starts_with(kContinues) && piece.size() > kContinues.size()) ++counts[0];
    if (piece.starts_with(kByteSpace)) ++counts[1];
    if (piece.starts_with(kSpace)) ++counts[2];
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  constexpr std::array kMarks = {Marks::wordpiece, Marks::bytes, Marks::space};
  if (*most > 0) marks_ = kMarks[static_cast<size_t>(most - counts.begin())];
}

const std::string* Vocabulary::piece(int64_t id) const {
  if (id < 0 || id >= size() || pieces_[static_cast<size_t>(id)].empty()) return nullptr;
  return &pieces_[static_cast<size_t>(id)];
}

std::optional<int64_t> Vocabulary::find(std::string_view piece) const {
  const auto found = ids_.find(std::string(piece));
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<int64_t> Vocabulary::pad() const {
  for (const std::string_view name : kPads) {
    if (const auto id = find(name)) return id;
  }
  return std::nullopt;
}

std::optional<int64_t> Vocabulary::mask() const {
  for (const std::string_view name : kMasks) {
    if (const auto id = find(name)) return id;
  }
  return std::nullopt;
}

bool Vocabulary::is_special(int64_t id) const { return special_[static_cast<size_t>(id)]; }

Token Vocabulary::token(int64_t id) const {
  const std::string* piece = this->piece(id);
  if (piece == nullptr) return {fmt::format("#{}", id), true, false, true};
  if (is_special(id)) return {*piece, true, true, true};
  Token token{*piece, true, false, true};
  if (marks_ == Marks::wordpiece && piece->starts_with(kContinues) && piece->size() > kContinues.size()) {
    return {piece->substr(kContinues.size()), false, false, false};
  }
  if (marks_ == Marks::bytes) {
    token.begins_word = token.space_before = piece->starts_with(kByteSpace) || piece->starts_with(kByteNewline);
    token.text = decoded_bytes(*piece);
  }
  if (marks_ == Marks::space) {
    token.begins_word = token.space_before = piece->starts_with(kSpace);
    token.text = with_spaces(token.text, kSpace);
  }
  if (marks_ != Marks::wordpiece) trim(token.text);
  return token;
}

std::vector<Token> Vocabulary::tokens(const std::vector<int64_t>& ids) const {
  std::vector<Token> tokens;
  for (const int64_t id : ids) {
    Token next = token(id);
    // Nothing joins a special token, and punctuation is a word by itself.
    const bool joins = !tokens.empty() && !tokens.back().special && !only_punctuation(next.text) &&
                       (!only_punctuation(tokens.back().text) || only_spaces(tokens.back().text));
    if (!joins) next.begins_word = true;
    tokens.push_back(std::move(next));
  }
  return tokens;
}

}  // namespace ascribe::core
