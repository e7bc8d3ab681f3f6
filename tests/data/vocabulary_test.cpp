// Vocabularies as tokenizers write them, and such as nobody should.
#include "data/vocabulary.h"

#include <chrono>

#include <gtest/gtest.h>

#include "support/errors.h"

namespace ascribe::core {
namespace {

std::vector<std::string> texts(const std::vector<Token>& tokens) {
  std::vector<std::string> list;
  for (const Token& token : tokens) list.push_back(token.text);
  return list;
}

std::vector<bool> beginnings(const std::vector<Token>& tokens) {
  std::vector<bool> list;
  for (const Token& token : tokens) list.push_back(token.begins_word);
  return list;
}

TEST(Vocabulary, ReadsATokenPerLine) {
  const Vocabulary words = Vocabulary::parse("[PAD]\r\n[CLS]\r\nplay\r\n##ing\r\n,\r\n", "vocab.txt");
  EXPECT_EQ(words.size(), 5);
  EXPECT_EQ(words.pad(), 0);
  EXPECT_EQ(words.mask(), std::nullopt);
  EXPECT_EQ(words.find("##ing"), 3);
  const std::vector<Token> tokens = words.tokens({1, 2, 3, 4, 2, 9});
  EXPECT_EQ(texts(tokens), (std::vector<std::string>{"[CLS]", "play", "ing", ",", "play", "#9"}));
  EXPECT_EQ(beginnings(tokens), (std::vector<bool>{true, true, false, true, true, true}));
  EXPECT_TRUE(tokens[0].special);
  EXPECT_FALSE(tokens[1].special);
  EXPECT_FALSE(tokens[2].space_before);
}

TEST(Vocabulary, ReadsBytesThatAreWrittenAsLetters) {
  // Ġ is a space, ÃŁ the two bytes of ß, Ċ the end of a line.
  const std::string file =
      R"({"model": {"type": "BPE", "vocab": {"Hello": 0, "Ġgro": 1, "ÃŁ": 2, ",": 3, "Ċ": 4, "Ã": 5}},
          "added_tokens": [{"id": 6, "content": "<|endoftext|>", "special": true}]})";
  const Vocabulary words = Vocabulary::parse(file, "tokenizer.json");
  EXPECT_EQ(words.size(), 7);
  EXPECT_EQ(words.pad(), std::nullopt);
  const std::vector<Token> tokens = words.tokens({0, 3, 1, 2, 4, 6, 5});
  EXPECT_EQ(texts(tokens), (std::vector<std::string>{"Hello", ",", "gro", "ß", "\n", "<|endoftext|>", "\xc3"}));
  EXPECT_EQ(beginnings(tokens), (std::vector<bool>{true, true, true, false, true, true, true}));
  EXPECT_TRUE(tokens[5].special);
}

TEST(Vocabulary, ReadsPiecesWithScores) {
  const std::string file =
      R"({"model": {"type": "Unigram", "vocab": [["<pad>", 0.0], ["▁good", -3.5], ["ness", -4], ["▁", -2]]},
          "added_tokens": [{"id": 4, "content": "<mask>", "special": true}]})";
  const Vocabulary words = Vocabulary::parse(file, "tokenizer.json");
  EXPECT_EQ(words.pad(), 0);
  EXPECT_EQ(words.mask(), 4);
  const std::vector<Token> tokens = words.tokens({1, 2, 3});
  EXPECT_EQ(texts(tokens), (std::vector<std::string>{"good", "ness", " "}));
  EXPECT_EQ(beginnings(tokens), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(beginnings(words.tokens({3, 2})), (std::vector<bool>{true, false}));  // a space, and the word behind it
}

TEST(Vocabulary, ReadsAPlainMap) { EXPECT_EQ(*Vocabulary::parse(R"({"a": 1, "b": 0})", "vocab.json").piece(0), "b"); }

TEST(Vocabulary, TokensOfManySpacesAreReadOnce) {
  std::string marks, spaces(2000000, ' ');
  for (int i = 0; i < 1000000; ++i) marks += "▁";
  const Vocabulary words = Vocabulary::parse("▁a\n" + marks + "b▁" + spaces + "c" + spaces + "\n", "vocab.txt");
  // Moved up by one space after the other, they would take minutes.
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(words.tokens({1})[0].text, "b " + spaces + "c");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Vocabulary, AFewBytesDoNotMakeALargeTable) {
  EXPECT_EQ(*Vocabulary::parse(R"({"a": 262143})", "vocab.json").piece(262143), "a");
  expect_error(ErrorKind::io, "a token has the id 262144; expected 0 to 262143 in a file of this size",
               [] { Vocabulary::parse(R"({"a": 262144})", "vocab.json"); });
}

TEST(Vocabulary, RefusesWhatIsNone) {
  const auto refused = [](const std::string& text, const std::string& name, const std::string& part) {
    expect_error(ErrorKind::io, part, [&] { Vocabulary::parse(text, name); });
  };
  refused("", "vocab.txt", "there are no tokens");
  refused("\n\n", "vocab.txt", "there are no tokens");
  refused("{}", "tokenizer.json", "there are no tokens");
  refused(std::string("\x08\0net", 5), "model.onnx", "this is not text");
  refused("[1, 2]", "tokenizer.json", "");
  refused(R"({"model": {}})", "tokenizer.json", "vocab");
  refused(R"({"model": {"vocab": {"a": -1}}})", "tokenizer.json", "");
  refused(R"({"model": {"vocab": {"a": 1e15}}})", "tokenizer.json", "");  // not a line of a quadrillion
  refused(R"({"model": {"vocab": {"a": "b"}}})", "tokenizer.json", "");
  refused(R"({"model": {"vocab": [["a"], [1, 2]]}})", "tokenizer.json", "");
  refused(R"({"model": {"vocab": [[]]}})", "tokenizer.json", "");
  refused(R"({"model": {"vocab": {"a": 0}}, "added_tokens": [{"content": "b"}]})", "tokenizer.json", "id");
  refused(std::string(200, '['), "tokenizer.json", "");
}

}  // namespace
}  // namespace ascribe::core
