// Small reports as values, with everything in them that a report can have.
#pragma once

#include <vector>

#include "study/document.h"

namespace ascribe::core {

// Four players and two methods; an image of `side` x `side` pixels, of which the first method knows pixels.
document::Row sample_row(document::RowKind kind, int64_t side = 0);
document::MethodResult sample_method(const std::string& name, const std::string& title, size_t players, size_t pixels);
document::Document sample_document(std::vector<document::Row> rows);

inline document::Document image_document() { return sample_document({sample_row(document::RowKind::image, 4)}); }

// One of each kind, and several together.
inline std::vector<document::Document> all_kinds_of_documents() {
  using document::RowKind;
  const document::Row image = sample_row(RowKind::image, 4), table = sample_row(RowKind::table),
                      sequence = sample_row(RowKind::sequence), text = sample_row(RowKind::text);
  return {sample_document({image}), sample_document({table}), sample_document({sequence}), sample_document({text}),
          sample_document({image, table, sequence, text})};
}

}  // namespace ascribe::core
