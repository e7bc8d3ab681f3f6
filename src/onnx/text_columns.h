// Inputs that hold texts: a column of them enters the graph as its place in the table of the encoder that reads it.
//   code k: category k of the column; -1: a text that is in no table
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "graph/builder.h"
#include "onnx/importer.h"
#include "onnx/text_codes.h"

namespace ascribe::core {

class TextColumns {
 public:
  // Codes of the columns of an input [N] or [N, K] as codes of the vocabulary, which must be whole by now.
  Value add(Builder& builder, const std::string& input, Value codes, const TextCodes& vocabulary);
  bool empty() const { return columns_.empty(); }

  // An encoder reads `operand` by this table. `unknown`: it takes other texts as well.
  void reads(Builder& builder, Value operand, const std::vector<std::string>& table, bool unknown);

  // Gives every column its own codes. Refuses inputs that no encoder reads.
  std::map<std::string, std::vector<TextColumn>> settle(Graph& graph, const TextCodes& vocabulary);

 private:
  struct Column {
    std::string input;
    Value table;     // the constant that takes codes of the column to codes of the vocabulary
    Value gathered;  // the column in the vocabulary's codes
    std::vector<std::string> categories;
    std::set<std::string> seen;  // the same
    bool known = false, unknown = true;
  };
  // The columns that `value` holds along its last axis; empty: it cannot be told.
  std::vector<size_t> traced(const Graph& graph, Value value, int depth) const;
  std::vector<size_t> reached(const Graph& graph, Value value) const;

  std::vector<Column> columns_;
  std::map<Value, size_t> place_;  // of a column, by its value
  int64_t codes_ = 0;              // in all tables
};

}  // namespace ascribe::core
