#include "augment.h"

#include <cmath>

#include "philox.h"

namespace r2sgld {

namespace {

constexpr int kAttempts = 10;  // at a rectangle that fits; nine of ten do

int64_t below(uint32_t word, int64_t n) {
  return static_cast<int64_t>((static_cast<uint64_t>(word) * static_cast<uint64_t>(n)) >> 32);
}

struct Rectangle {
  int64_t top = 0, left = 0, height = 0, width = 0;
};

// Zhong, Zheng, Kang, Li, Yang: "Random erasing data augmentation" (2020), algorithm 1.
Rectangle rectangle(uint64_t key, uint64_t place, int64_t height, int64_t width) {
  for (uint64_t attempt = 1; attempt <= kAttempts; attempt++) {
    const Words w = philox(place, counter_high(Purpose::augmentation, attempt), key);
    const double area = (0.02 + 0.38 * uniform(w[0])) * static_cast<double>(height * width);
    const double aspect = 0.3 + (1 / 0.3 - 0.3) * uniform(w[1]);
    Rectangle r;
    r.height = std::lround(std::sqrt(area * aspect));
    r.width = std::lround(std::sqrt(area / aspect));
    if (r.height < 1 || r.width < 1 || r.height >= height || r.width >= width) continue;
    r.top = below(w[2], height - r.height + 1);
    r.left = below(w[3], width - r.width + 1);
    return r;
  }
  return {};
}

}  // namespace

Changes::Changes(const Augmentation& augmentation, int64_t count, int64_t height, int64_t width)
    : augmentation_(augmentation) {
  const uint64_t key = mix(augmentation.seed);
  rows_ = torch::empty({count, height}, torch::kInt64);
  columns_ = torch::empty({count, width}, torch::kInt64);
  erased_rows_ = torch::zeros({count, height}, torch::kBool);
  erased_columns_ = torch::zeros({count, width}, torch::kBool);
  int64_t *row = rows_.data_ptr<int64_t>(), *column = columns_.data_ptr<int64_t>();
  bool *gone_row = erased_rows_.data_ptr<bool>(), *gone_column = erased_columns_.data_ptr<bool>();
  for (int64_t i = 0; i < count; i++) {
    const uint64_t place = static_cast<uint64_t>(i);
    const Words w = philox(place, counter_high(Purpose::augmentation, 0), key);
    const int64_t top = below(w[0], 2 * augmentation.crop + 1);
    const int64_t left = below(w[1], 2 * augmentation.crop + 1);
    const bool turned = augmentation.flip && w[2] >> 31;
    for (int64_t y = 0; y < height; y++) row[i * height + y] = top + y;
    for (int64_t x = 0; x < width; x++) {
      column[i * width + x] = left + (turned ? width - 1 - x : x);
    }
    if (!(uniform(w[3]) < augmentation.erase)) continue;
    const Rectangle r = rectangle(key, place, height, width);
    std::fill_n(gone_row + i * height + r.top, r.height, true);
    std::fill_n(gone_column + i * width + r.left, r.width, true);
  }
}

torch::Tensor Changes::cut(const torch::Tensor& images) const {
  if (augmentation_.crop == 0 && !augmentation_.flip) return images;
  const int64_t p = augmentation_.crop;
  const auto device = images.device();
  const torch::Tensor padded = torch::constant_pad_nd(images, {p, p, p, p}, 0);
  const torch::Tensor each = torch::arange(images.size(0), rows_.options()).to(device);
  // Indices on both sides of a whole dimension: the result is count × height × width ×
  // channels, which is channels last.
  return padded
      .index({each.view({-1, 1, 1}), torch::indexing::Slice(), rows_.to(device).unsqueeze(2),
              columns_.to(device).unsqueeze(1)})
      .permute({0, 3, 1, 2});
}

torch::Tensor Changes::erased(const torch::Tensor& images) const {
  if (augmentation_.erase == 0) return images;
  const torch::Tensor gone = erased_rows_.unsqueeze(2).logical_and(erased_columns_.unsqueeze(1));
  return images.masked_fill(gone.unsqueeze(1).to(images.device()), 0);
}

}  // namespace r2sgld
