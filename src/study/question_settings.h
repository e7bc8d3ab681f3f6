// What a question is, in words and hashes: everything about it that determines results besides the rows.
#pragma once

#include "study/question.h"

namespace ascribe::core::study {

// columns, preprocess, shape, players, baseline, target, explain, output.
Json question_settings(const Subject& subject, const QuestionRequest& question);

// SHA-256 of what the question names besides its rows, by what it is for.
Json question_files(const Subject& subject, const QuestionRequest& question);

std::string model_identity(const Subject& subject);  // SHA-256 of its file, or what it is called

}  // namespace ascribe::core::study
