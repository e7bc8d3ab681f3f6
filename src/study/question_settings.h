// What a question is, in words and hashes: everything about it that determines results besides the rows.
#pragma once

#include "study/question.h"

namespace ascribe::core::study {

// columns, preprocess, shape, players, baseline, target, explain, output.
Json question_settings(const Subject& subject, const QuestionRequest& question);

// SHA-256 of the files that the question names, by what they are for.
Json question_files(const QuestionRequest& question);

std::string model_identity(const Subject& subject);  // SHA-256 of its file, or what it is called

std::string hash_of(const Tensor& values);

}  // namespace ascribe::core::study
