// Vocabularies of tokenizers: ids as texts, and a text as ids.
#include "data/vocabulary.h"
#include "data/word_pieces.h"
#include "fuzz/target.h"

namespace ascribe::core::fuzz::target_vocabulary {
namespace {

void feed(Bytes bytes) {
  const std::string text = text_of(bytes);
  const Vocabulary vocabulary = Vocabulary::parse(text, "fuzz.json");
  hold(vocabulary.size() >= 0 && vocabulary.size() <= 1 << 24, "ids are bounded");
  std::vector<int64_t> ids = {-1, 0, 1, 2, 5, vocabulary.size() - 1, vocabulary.size(), int64_t{1} << 62};
  hold(vocabulary.tokens(ids).size() == ids.size(), "every id is told");
  vocabulary.pad();
  vocabulary.mask();
  for (const int64_t id : word_pieces("A good film, isn't it? " + text.substr(0, 64), vocabulary)) {
    hold(vocabulary.piece(id) != nullptr, "ids of a text are of the vocabulary");
  }
}

const RegisterTarget registered({"vocabulary", "vocabularies of tokenizers", Form::json, 2048, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_vocabulary
