#include "data/jpeg.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>

#include <jerror.h>
#include <jpeglib.h>

#include "base/error.h"

namespace ascribe::core {

namespace {

// Every scan walks over the whole picture, however few bytes it has. Real files have about ten.
constexpr int kMaximumScans = 500;
constexpr double kAlwaysWalked = 16.0 * kMaximumPixels, kWalkedPerByte = 4096;  // pixels, over all scans

// libjpeg reports errors by longjmp, which skips destructors: everything that owns memory
// lives in this class, and the steps between setjmp and longjmp hold plain values only.
class JpegReader {
 public:
  JpegReader(std::string_view bytes, const std::string& where) : bytes_(bytes), where_(where) {
    info_.err = jpeg_std_error(&errors_);
    errors_.error_exit = on_error;
    errors_.emit_message = on_message;
    info_.client_data = this;
    guarded(&JpegReader::start);
  }
  ~JpegReader() { jpeg_destroy_decompress(&info_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  Image read() {
    guarded(&JpegReader::read_header);
    const size_t width = info_.image_width, height = info_.image_height;
    if (width * height > kMaximumPixels) {
      fail(ErrorKind::io, where_, "the image is too large; got {} x {} pixels; expected at most {}", width, height,
           kMaximumPixels);
    }
    most_scans_ = allowed_scans(width * height);
    samples_.resize(width * height * static_cast<size_t>(info_.num_components));
    guarded(&JpegReader::read_samples);
    return convert();
  }

 private:
  static JpegReader& self(j_common_ptr info) { return *static_cast<JpegReader*>(info->client_data); }
  static void on_error(j_common_ptr info) {
    info->err->format_message(info, self(info).message_);
    std::longjmp(self(info).jump_, 1);
  }
  // Warnings are tolerated as other decoders do, but half a picture is not a picture.
  static void on_message(j_common_ptr info, int level) {
    if (level < 0 && (info->err->msg_code == JWRN_JPEG_EOF || info->err->msg_code == JWRN_HIT_MARKER)) on_error(info);
  }
  static void on_progress(j_common_ptr info) {
    const auto& image = *reinterpret_cast<j_decompress_ptr>(info);
    if (image.input_scan_number <= self(info).most_scans_) return;
    std::snprintf(self(info).message_, sizeof(self(info).message_), "more than %d scans", self(info).most_scans_);
    std::longjmp(self(info).jump_, 1);
  }
  int allowed_scans(size_t pixels) const {
    const double walked = kAlwaysWalked + kWalkedPerByte * static_cast<double>(bytes_.size());
    return static_cast<int>(std::min<double>(kMaximumScans, walked / static_cast<double>(pixels)));
  }

  void guarded(void (JpegReader::*step)()) {
    if (setjmp(jump_) != 0) fail(ErrorKind::io, where_, "the jpeg file is damaged; {}", message_);
    (this->*step)();
  }

  void start() {
    jpeg_create_decompress(&info_);
    progress_.progress_monitor = on_progress;
    info_.progress = &progress_;
  }

  void read_header() {
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(bytes_.data()), bytes_.size());
    jpeg_read_header(&info_, TRUE);
    if (info_.num_components == 1) info_.out_color_space = JCS_GRAYSCALE;
    else info_.out_color_space = info_.num_components == 4 ? JCS_CMYK : JCS_RGB;
  }

  void read_samples() {
    jpeg_start_decompress(&info_);
    const size_t row_bytes = size_t{info_.output_width} * static_cast<size_t>(info_.output_components);
    while (info_.output_scanline < info_.output_height) {
      JSAMPROW row = samples_.data() + info_.output_scanline * row_bytes;
      jpeg_read_scanlines(&info_, &row, 1);
    }
    jpeg_finish_decompress(&info_);
  }

  Image convert() const {
    Image image;
    image.height = info_.output_height;
    image.width = info_.output_width;
    image.channels = info_.output_components == 1 ? 1 : 3;
    if (info_.output_components != 4) {
      image.pixels.assign(samples_.begin(), samples_.end());
      return image;
    }
    // Adobe's files hold inverted inks, so that colour = ink * black.
    const bool inverted = info_.saw_Adobe_marker != 0;
    image.pixels.resize(samples_.size() / 4 * 3);
    for (size_t i = 0; i < samples_.size() / 4; ++i) {
      for (size_t c = 0; c < 3; ++c) {
        const float ink = samples_[4 * i + c], black = samples_[4 * i + 3];
        image.pixels[3 * i + c] = inverted ? ink * black / 255.0F : (255.0F - ink) * (255.0F - black) / 255.0F;
      }
    }
    return image;
  }

  std::string_view bytes_;
  const std::string& where_;
  jpeg_decompress_struct info_{};
  jpeg_error_mgr errors_{};
  jpeg_progress_mgr progress_{};
  std::vector<JSAMPLE> samples_;
  int most_scans_ = kMaximumScans;
  std::jmp_buf jump_{};
  char message_[JMSG_LENGTH_MAX] = {};
};

}  // namespace

bool is_jpeg(std::string_view bytes) { return bytes.starts_with("\xff\xd8\xff"); }

Image decode_jpeg(std::string_view bytes, const std::string& where) { return JpegReader(bytes, where).read(); }

}  // namespace ascribe::core
