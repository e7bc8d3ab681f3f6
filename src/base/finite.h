// One rule for values that are not finite, in every command and document: where such a value is the result, the call
// fails (ErrorKind::numeric); where it only stands beside one, as f(b) may, it is said in words and is null in JSON and
// an empty cell in CSV. It is never written as a number, because tables, spreadsheets and JSON read "inf" and "nan"
// each in their own way.
#pragma once

#include <string>

namespace ascribe::core {

// "minus infinity", "infinity", "not a number"; a finite value in as few digits as tell it from all others.
std::string number_in_words(double value);

// The text, if the value is finite, otherwise what stands in a table for people: "-".
std::string cell_if_finite(double value, std::string text);

// The same for CSV: an empty cell.
std::string csv_if_finite(double value, std::string text);

}  // namespace ascribe::core
