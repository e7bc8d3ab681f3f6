// Text as token ids. The expected ids are line numbers of the vocabularies, counted from 0.
#include "data/word_pieces.h"

#include <gtest/gtest.h>

#include "support/errors.h"

namespace ascribe::core {
namespace {

using Ids = std::vector<int64_t>;

Ids ids_of(const std::string& text, const std::string& vocabulary) {
  return word_pieces(text, Vocabulary::parse(vocabulary, "vocab.txt"));
}

const std::string kVocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\nfilm\n!\nfilms\n'\nt\n##s\n";

TEST(WordPieces, TakesTheLongestPieces) {
  EXPECT_EQ(ids_of("unaffable", kVocabulary), (Ids{2, 4, 5, 6, 3}));
  EXPECT_EQ(ids_of("films film", kVocabulary), (Ids{2, 9, 7, 3}));
}

TEST(WordPieces, PunctuationIsAWordAndCapitalsAreSmall) {
  EXPECT_EQ(ids_of("  FILM!!\n'T ", kVocabulary), (Ids{2, 7, 8, 8, 10, 11, 3}));
}

TEST(WordPieces, CapitalsStayWhereTheVocabularyHasThem) {
  EXPECT_EQ(ids_of("Film film", "[UNK]\nFilm\nfilm\n"), (Ids{1, 2}));
}

TEST(WordPieces, WordsWithoutPiecesAreUnknown) {
  EXPECT_EQ(ids_of("unfilm film", kVocabulary), (Ids{2, 1, 7, 3}));
  EXPECT_EQ(ids_of("\xff", kVocabulary), (Ids{2, 1, 3}));
  expect_error(ErrorKind::argument, "'film' is not in the vocabulary", [] { ids_of("film", "good\nbad\n"); });
}

TEST(WordPieces, RefusesWhatItCannotDo) {
  expect_error(ErrorKind::unsupported, "expected token ids", [] { ids_of("good", "<s>\n\xC4\xA0good\n"); });
  expect_error(ErrorKind::unsupported, "expected token ids", [] { ids_of("good", "<s>\n\xE2\x96\x81good\n"); });
  expect_error(ErrorKind::argument, "no words", [] { ids_of(" \n", kVocabulary); });
  expect_error(ErrorKind::argument, "at most", [] { ids_of(std::string(20001, 'a'), kVocabulary); });
}

}  // namespace
}  // namespace ascribe::core
