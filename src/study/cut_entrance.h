// The entrance behind a node of the model: tokens enter behind their embedding, and any model at a node that a question
// names.
#pragma once

#include "data/vocabulary.h"
#include "passes/cut.h"
#include "study/entrance.h"
#include "study/question.h"

namespace ascribe::core::study {

class CutEntrance : public Entrance {
 public:
  CutEntrance(Model outer, Cut cut, size_t input, int64_t entries, std::shared_ptr<const Vocabulary> vocabulary);

  ModelInputs enter(ModelInputs rows, std::vector<std::string>& notes) const override;
  std::string usual_baseline(std::vector<std::string>& notes) const override;
  Tensor baselines(const BaselineWish& wish, std::vector<std::string>& notes) const override;

  const Cut& cut() const { return cut_; }
  bool takes_tokens() const { return tokens_; }
  const Vocabulary* vocabulary() const { return vocabulary_.get(); }
  Shape row() const;          // at the node
  int64_t positions() const;  // of tokens
  // The tokens of a row without data: for those who only need players.
  TokenRow nameless_row() const;

 private:
  void check_ids(const Tensor& ids, std::string_view where) const;
  int64_t token_id(const std::string& text, std::vector<std::string>& notes) const;
  Tensor at_node(std::vector<Tensor> rows, int64_t count) const;
  Tensor token_baselines(const BaselineWish& wish, std::vector<std::string>& notes) const;
  Tensor real_baselines(const BaselineWish& wish, std::vector<std::string>& notes) const;
  Tensor with_input(const Tensor& rows, const BaselineWish& wish) const;

  Model outer_, before_;
  Cut cut_;
  size_t input_;     // of the model's
  int64_t entries_;  // of the table in which ids are looked up; 0: the input takes no ids
  bool tokens_;
  std::shared_ptr<const Vocabulary> vocabulary_;
};

// The subject entered as the question asks: at a node that it names, or behind the embedding if the model takes ids.
// Otherwise the subject itself.
Subject entered_at(const Subject& subject, const QuestionRequest& request, std::vector<std::string>& notes);

// Whether a question is about tokens or an inner node.
bool enters_inside(const Graph& model, const QuestionRequest& request);

}  // namespace ascribe::core::study
