#include "data/png.h"

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstring>
#include <limits>

#include <png.h>

#include "base/checksum.h"
#include "base/error.h"
#include "base/unpacking.h"

namespace ascribe::core {

namespace {

constexpr size_t kExcess = size_t{1} << 14;         // bytes that may lie behind the last row, in the same stream
constexpr size_t kSignature = 8, kChunkFrame = 12;  // bytes: of the beginning, and of a chunk around its content

uint32_t big_endian(std::string_view bytes) {
  uint32_t value = 0;
  for (const char c : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

// Everything up to the end is there and what the picture needs is undamaged: reading ends with the last row.
void check_chunks(std::string_view bytes, const std::string& where) {
  for (size_t at = kSignature;;) {
    if (bytes.size() < at + kChunkFrame) fail(ErrorKind::io, where, "the png file is damaged; the file is cut short");
    const size_t length = big_endian(bytes.substr(at));
    if (length > bytes.size() - at - kChunkFrame) {
      fail(ErrorKind::io, where, "the png file is damaged; the file is cut short");
    }
    const std::string_view kind = bytes.substr(at + 4, 4);
    const bool needed = (kind[0] & 0x20) == 0;  // a capital letter
    if (needed && checksum(bytes.substr(at + 4, 4 + length)) != big_endian(bytes.substr(at + 8 + length))) {
      fail(ErrorKind::io, where, "the png file is damaged; a checksum is wrong at byte {}", at);
    }
    if (kind == "IEND") return;
    at += kChunkFrame + length;
  }
}

// libpng reports errors by longjmp, which skips destructors: everything that owns memory
// lives in this class, and the steps between setjmp and longjmp hold plain values only.
class PngReader {
 public:
  PngReader(std::string_view bytes, const std::string& where) : bytes_(bytes), where_(where) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) fail(ErrorKind::internal, where, "libpng cannot start");
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  Image read() {
    guarded(&PngReader::read_header);
    check_size();
    check_chunks(bytes_, where_);
    guarded(&PngReader::ask_for_plain_samples);
    samples_.resize(row_bytes_ * height_);
    rows_.resize(height_);
    for (size_t y = 0; y < height_; ++y) rows_[y] = samples_.data() + y * row_bytes_;
    guarded(&PngReader::read_samples);
    return convert();
  }

 private:
  static void on_error(png_structp png, png_const_charp message) {
    auto& self = *static_cast<PngReader*>(png_get_error_ptr(png));
    std::strncpy(self.message_, message, sizeof(self.message_) - 1);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}
  static void on_read(png_structp png, png_bytep out, size_t count) {
    auto& self = *static_cast<PngReader*>(png_get_io_ptr(png));
    if (count > self.bytes_.size() - self.at_) png_error(png, "the file is cut short");
    if (self.at_ > self.last_) png_error(png, "there is more than its pixels");
    std::memcpy(out, self.bytes_.data() + self.at_, count);
    self.at_ += count;
  }

  // libpng unpacks whatever lies behind the last row, so that has a limit once only this row is missing.
  static void on_row(png_structp png, png_uint_32, int) {
    auto& self = *static_cast<PngReader*>(png_get_io_ptr(png));
    ++self.rows_done_;
    self.expect_end();
  }
  void expect_end() {
    if (rows_done_ + 1 == passes_ * height_) last_ = at_ + row_bytes_ + kExcess;
  }

  void guarded(void (PngReader::*step)()) {
    if (setjmp(png_jmpbuf(png_)) != 0) fail(ErrorKind::io, where_, "the png file is damaged; {}", message_);
    (this->*step)();
  }

  void read_header() {
    png_set_read_fn(png_, this, on_read);
    // Comments, profiles and whatever else is not the picture are passed over, not unpacked.
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_read_info(png_, info_);
    width_ = png_get_image_width(png_, info_);
    height_ = png_get_image_height(png_, info_);
    const size_t bits = png_get_bit_depth(png_, info_) * png_get_channels(png_, info_);
    packed_bits_ = width_ * height_ * bits;
  }

  void check_size() const {
    if (width_ * height_ > kMaximumPixels) {
      fail(ErrorKind::io, where_, "the image is too large; got {} x {} pixels; expected at most {}", width_, height_,
           kMaximumPixels);
    }
    if (packed_bits_ / 8 / size_t{kBestRatio} > bytes_.size()) fail(ErrorKind::io, where_, "the png file is damaged");
  }

  void ask_for_plain_samples() {
    png_set_expand(png_);  // palette to colour, less than 8 bit to 8, transparent colour to alpha
    passes_ = static_cast<size_t>(png_set_interlace_handling(png_));
    png_set_read_status_fn(png_, on_row);
    png_read_update_info(png_, info_);
    channels_ = png_get_channels(png_, info_);
    wide_ = png_get_bit_depth(png_, info_) == 16;
    row_bytes_ = png_get_rowbytes(png_, info_);
  }

  void read_samples() {
    expect_end();
    png_read_image(png_, rows_.data());
  }

  // Sample i of the file as 0..255; 16 bit are stored high byte first.
  float sample(size_t i) const {
    if (!wide_) return samples_[i];
    return static_cast<float>(samples_[2 * i] << 8 | samples_[2 * i + 1]) / 257.0F;
  }

  Image convert() const {
    const size_t colours = channels_ >= 3 ? 3 : 1;
    const bool alpha = channels_ % 2 == 0;
    const size_t count = width_ * height_;
    Image image;
    image.height = static_cast<int64_t>(height_);
    image.width = static_cast<int64_t>(width_);
    image.channels = static_cast<int64_t>(colours);
    image.pixels.resize(count * colours);
    for (size_t i = 0; i < count; ++i) {
      const float opacity = alpha ? sample(i * channels_ + colours) / 255.0F : 1.0F;
      image.transparent = image.transparent || opacity < 1.0F;
      for (size_t c = 0; c < colours; ++c) {
        const float value = sample(i * channels_ + c);
        image.pixels[i * colours + c] = opacity < 1.0F ? opacity * value + (1.0F - opacity) * 255.0F : value;
      }
    }
    return image;
  }

  std::string_view bytes_;
  const std::string& where_;
  size_t at_ = 0;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  size_t width_ = 0, height_ = 0, channels_ = 0, row_bytes_ = 0, packed_bits_ = 0;
  size_t passes_ = 1, rows_done_ = 0;
  size_t last_ = std::numeric_limits<size_t>::max();  // where reading may begin at the latest
  bool wide_ = false;
  std::vector<png_byte> samples_;
  std::vector<png_bytep> rows_;
  char message_[128] = {};
};

// The mirror image: memory that libpng fills lives here, out of the way of its longjmp.
class PngWriter {
 public:
  explicit PngWriter(const Image& image) : image_(image) {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) fail(ErrorKind::internal, "png", "libpng cannot start");
  }
  ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  std::string write() {
    for (const float value : image_.pixels) {
      samples_.push_back(static_cast<png_byte>(std::lround(std::clamp(value, 0.0F, 255.0F))));
    }
    for (int64_t y = 0; y < image_.height; ++y) {
      rows_.push_back(samples_.data() + y * image_.width * image_.channels);
    }
    if (setjmp(png_jmpbuf(png_)) != 0) fail(ErrorKind::internal, "png", "the picture cannot be written");
    write_all();
    return std::move(bytes_);
  }

 private:
  static void on_error(png_structp png, png_const_charp) { png_longjmp(png, 1); }
  static void on_warning(png_structp, png_const_charp) {}
  static void on_write(png_structp png, png_bytep data, size_t count) {
    static_cast<PngWriter*>(png_get_io_ptr(png))->bytes_.append(reinterpret_cast<const char*>(data), count);
  }
  static void on_flush(png_structp) {}

  void write_all() {
    png_set_write_fn(png_, this, on_write, on_flush);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(image_.width), static_cast<png_uint_32>(image_.height), 8,
                 image_.channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_rows(png_, info_, rows_.data());
    png_write_png(png_, info_, PNG_TRANSFORM_IDENTITY, nullptr);
  }

  const Image& image_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::vector<png_byte> samples_;
  std::vector<png_bytep> rows_;
  std::string bytes_;
};

}  // namespace

bool is_png(std::string_view bytes) { return bytes.starts_with("\x89PNG\r\n\x1a\n"); }

Image decode_png(std::string_view bytes, const std::string& where) { return PngReader(bytes, where).read(); }

std::string encode_png(const Image& image) {
  require(std::ssize(image.pixels) == image.height * image.width * image.channels && image.height > 0 &&
              image.width > 0 && (image.channels == 1 || image.channels == 3),
          "png", "the pixels do not fit the picture");
  return PngWriter(image).write();
}

}  // namespace ascribe::core
