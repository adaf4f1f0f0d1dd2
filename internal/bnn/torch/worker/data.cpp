#include "data.h"

namespace r2sgld {

namespace {

torch::Tensor normalised(const Set& set, const torch::Tensor& inputs, torch::Dtype dtype) {
  torch::Tensor x = inputs.to(dtype);
  if (set.inputs.scalar_type() == torch::kUInt8) {
    x.div_(255).sub_(set.mean.to(dtype)).div_(set.spread.to(dtype));
  }
  return x;
}

}  // namespace

Batch gather(const Set& set, const std::vector<int32_t>& indices, const Augmentation& augmentation,
             torch::Dtype dtype) {
  const torch::Tensor where = torch::tensor(indices, torch::kInt64).to(set.inputs.device());
  torch::Tensor x = set.inputs.index_select(0, where);
  const Changes changes(augmentation, x.size(0), x.size(2), x.size(3));
  x = changes.erased(normalised(set, changes.cut(x), dtype));
  Batch batch;
  batch.inputs = x.contiguous(torch::MemoryFormat::ChannelsLast);
  if (set.targets.defined()) {
    batch.targets = set.targets.index_select(0, where);
    if (batch.targets.is_floating_point()) batch.targets = batch.targets.to(dtype);
  }
  return batch;
}

torch::Tensor inputs_between(const Set& set, int64_t from, int64_t to, torch::Dtype dtype) {
  return normalised(set, set.inputs.slice(0, from, to), dtype)
      .contiguous(torch::MemoryFormat::ChannelsLast);
}

}  // namespace r2sgld
