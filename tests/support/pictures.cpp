#include "support/pictures.h"

#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>
#include <zlib.h>

namespace ascribe::core {

std::string make_png(const Picture& picture) {
  std::string bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &bytes,
      [](png_structp p, png_bytep data, size_t size) {
        static_cast<std::string*>(png_get_io_ptr(p))->append(reinterpret_cast<const char*>(data), size);
      },
      [](png_structp) {});
  png_set_IHDR(png, info, static_cast<png_uint_32>(picture.width), static_cast<png_uint_32>(picture.height),
               picture.bit_depth, picture.color_type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (!picture.palette.empty()) {
    png_set_PLTE(png, info, picture.palette.data(), static_cast<int>(picture.palette.size()));
  }
  png_write_info(png, info);
  const size_t row = picture.samples.size() / static_cast<size_t>(picture.height);
  for (int y = 0; y < picture.height; ++y) png_write_row(png, picture.samples.data() + y * row);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

namespace {

std::string big(uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFF);
  return out;
}

// What libjpeg writes, given the settings and the rows.
template <class Set>
std::string jpeg_of(int height, int width, int channels, const std::vector<uint8_t>& color, Set set) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &memory, &size);
  info.image_height = static_cast<JDIMENSION>(height);
  info.image_width = static_cast<JDIMENSION>(width);
  info.input_components = channels;
  info.in_color_space = channels == 1 ? JCS_GRAYSCALE : (channels == 3 ? JCS_RGB : JCS_CMYK);
  jpeg_set_defaults(&info);
  set(info);
  jpeg_start_compress(&info, TRUE);
  std::vector<JSAMPLE> row;
  for (int x = 0; x < width; ++x) row.insert(row.end(), color.begin(), color.end());
  for (int y = 0; y < height; ++y) {
    JSAMPROW start = row.data();
    jpeg_write_scanlines(&info, &start, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string bytes(reinterpret_cast<const char*>(memory), size);
  std::free(memory);
  return bytes;
}

}  // namespace

std::string png_chunk(const std::string& name, const std::string& content) {
  const std::string body = name + content;
  const auto crc = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big(static_cast<uint32_t>(content.size())) + body + big(static_cast<uint32_t>(crc));
}

std::string with_chunks(const std::string& png, const std::string& chunks) {
  constexpr size_t kHeader = 8 + 25;  // the beginning, and the chunk IHDR
  return png.substr(0, kHeader) + chunks + png.substr(kHeader);
}

std::string png_header(uint32_t height, uint32_t width) {
  using namespace std::string_literals;
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", big(width) + big(height) + "\x08\x00\x00\x00\x00"s) +
         png_chunk("IDAT", "");
}

std::string make_jpeg_of_scans(int side, int scans) {
  // The mean of every block, then its other 63 numbers one by one and bit by bit.
  std::vector<jpeg_scan_info> script = {{1, {0}, 0, 0, 0, 0}};
  constexpr int kFinest = 10;
  for (int coefficient = 1; coefficient < 64; ++coefficient) {
    for (int bit = kFinest; bit >= 0; --bit) {
      script.push_back({1, {0}, coefficient, coefficient, bit == kFinest ? 0 : bit + 1, bit});
    }
  }
  script.resize(static_cast<size_t>(scans));
  return jpeg_of(side, side, 1, {77}, [&](jpeg_compress_struct& info) {
    info.scan_info = script.data();
    info.num_scans = scans;
  });
}

std::string make_jpeg(int height, int width, int channels, const std::vector<uint8_t>& color) {
  return jpeg_of(height, width, channels, color, [&](jpeg_compress_struct& info) {
    if (channels == 4) info.write_Adobe_marker = TRUE;
    jpeg_set_quality(&info, 100, TRUE);
  });
}

}  // namespace ascribe::core
