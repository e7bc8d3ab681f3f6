// Several inputs explained together, as one row of numbers: the columns of a table that each have an input of their own
// (numbers, and texts as codes of their categories), or the parts of a model that takes a picture and a table.
#pragma once

#include "methods/attribution.h"
#include "study/entrance.h"
#include "study/question.h"

namespace ascribe::core::study {

// The subject with the inputs that the question is about packed into one; itself if that is a real input alone. By
// default these are all inputs of numbers and categories that have a row for each row.
Subject joined(const Subject& subject, const QuestionRequest& request, std::vector<std::string>& notes);

// How a row is split among players; parts of a joint row by themselves, with the names of their inputs before theirs.
//   inputs: every input is a player
Players split_row(const RowQuestion& question, const std::string& players, const std::vector<std::string>& columns);

// Numbers of a joint row that stand for nothing: codes that are no category. Refused, naming what they are.
void check_codes(const std::vector<RowPart>& parts, const Tensor& rows, std::string_view what);

// What is seen of a joint row in one of its parts.
Players players_of(const RowQuestion& question, const RowPart& part);
Attribution attribution_of(const Attribution& attribution, const RowPart& part);

}  // namespace ascribe::core::study
