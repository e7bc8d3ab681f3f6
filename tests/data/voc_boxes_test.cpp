#include "data/voc_boxes.h"

#include <gtest/gtest.h>

#include "support/errors.h"

namespace ascribe::core {
namespace {

std::string box(const std::string& x0, const std::string& y0, const std::string& x1, const std::string& y1) {
  return "<bndbox><xmin>" + x0 + "</xmin><ymin>" + y0 + "</ymin><xmax>" + x1 + "</xmax><ymax>" + y1 +
         "</ymax></bndbox>";
}

TEST(VocBoxes, ObjectsHaveNamesAndBoxesFromZero) {
  const std::string xml =
      "<?xml version=\"1.0\"?>\n<annotation>\n <filename>a.jpg</filename><object><name> dog </name>" +
      box("1", "2", "30", " 40 ") +
      "<part><name>head</name><bndbox><xmin>9</xmin></bndbox></part></object>"
      "<object><pose/><name>a &amp; b</name>" +
      box("0", "0", "5.5", "6") + "</object></annotation>";
  const auto objects = parse_voc(xml, "a.xml");
  ASSERT_EQ(objects.size(), 2U);
  EXPECT_EQ(objects[0].name, "dog");
  EXPECT_EQ(objects[0].box.x0, 0);
  EXPECT_EQ(objects[0].box.y0, 1);
  EXPECT_EQ(objects[0].box.x1, 30);
  EXPECT_EQ(objects[0].box.y1, 40);
  EXPECT_EQ(objects[1].name, "a & b");
  EXPECT_EQ(objects[1].box.x0, 0);
  EXPECT_TRUE(parse_voc("<annotation/>", "a.xml").empty());
}

TEST(VocBoxes, WhatIsWrongIsSaidWithItsLine) {
  const auto refused = [](const std::string& xml, const std::string& complaint) {
    expect_error(ErrorKind::io, complaint, [&] { parse_voc(xml, "a.xml"); });
  };
  refused("", "damaged");
  refused("<annotation>\n<object></annotation>", "line 2: the XML is damaged");
  refused("<annotation>\n<object>" + box("1", "2", "x", "4") + "</object></annotation>", "line 2: 'x' is not a number");
  refused("<annotation><object>" + box("1", "2", "inf", "4") + "</object></annotation>", "not a number");
  refused("<annotation><object>" + box("5", "2", "3", "4") + "</object></annotation>", "the box is empty");
  refused("<annotation><object><bndbox><xmin>1</xmin></bndbox></object></annotation>", "lacks xmin");
}

TEST(VocBoxes, HostileXmlIsRefused) {
  std::string laughs = "<!DOCTYPE a [<!ENTITY a0 \"ha\">";
  for (int i = 1; i < 30; ++i) laughs += fmt::format("<!ENTITY a{} \"&a{};&a{};\">", i, i - 1, i - 1);
  expect_error(ErrorKind::io, "document types and entities are not supported",
               [&] { parse_voc(laughs + "]><annotation>&a29;</annotation>", "a.xml"); });
  expect_error(ErrorKind::io, "document types", [&] {
    parse_voc("<!DOCTYPE a [<!ENTITY f SYSTEM \"file:///etc/passwd\">]><annotation>&f;</annotation>", "a.xml");
  });
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  expect_error(ErrorKind::io, "nested too deeply", [&] { parse_voc(deep, "a.xml"); });
  expect_error(ErrorKind::io, "damaged", [&] { parse_voc(std::string("<a>\0</a>", 8), "a.xml"); });
}

}  // namespace
}  // namespace ascribe::core
