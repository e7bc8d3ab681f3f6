// Boxes in the XML of Pascal VOC and ILSVRC: <annotation><object><name>dog</name><bndbox><xmin>..., read with expat.
// Corners are pixels counted from 1, the last included: the box is xmin - 1 <= x < xmax.
#pragma once

#include <string>
#include <vector>

#include "data/dataset.h"

namespace ascribe::core {

struct VocObject {
  std::string name;  // of its class
  Box box;
};

// Complaints are of kind io, with the line. Document types, and with them entities, are refused.
std::vector<VocObject> parse_voc(std::string_view xml, const std::string& where);

}  // namespace ascribe::core
