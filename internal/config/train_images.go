package config

import (
	"path/filepath"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
)

// imageKeys declares the data section of a training.
func imageKeys(a *bnn.Augmentation) []key.Key {
	return []key.Key{
		kindOfImages(),
		folderOfImages(),
		key.Given("sha256", "text", key.PlainText(), nil).Tells("not checked", "the run is refused if the images have another hash"),
		key.Whole("train", new(int), 1, key.Many).By(nil).Tells("all", "so many examples, drawn at random, classes in proportion"),
		key.Whole("test", new(int), 1, key.Many).By(nil).Tells("all", "likewise"),
		key.Given("augment", "`none`, or map", key.AnyOf(key.Object("const", "none"), key.Section(augmentKeys(a))), nil).Tells("`none`",
			"`{crop: 4, flip: true, erase: 0.5}`: zero pixels around an image before a window is cut out; left to right every second time; "+
				"a rectangle erased with that probability"),
		key.Mapping("outside", outsideKeys()).By(nil).Tells("none",
			"`{kind, folder, test}`: images of no class, to see whether the model knows that "+
				"it does not know. Grey becomes three equal channels, smaller pictures are padded with zeros"),
	}
}

func outsideKeys() []key.Key {
	return []key.Key{kindOfImages(), folderOfImages(),
		key.Whole("test", new(int), 1, key.Many).By(nil).Tells("all", "so many examples, drawn at random, classes in proportion")}
}

func kindOfImages() key.Key {
	return key.Given("kind", "word", key.Object("enum", imageKinds()), nil).Must().Tells("",
		"`idx` (MNIST, Fashion-MNIST; `.gz` too), `cifar10`, "+
			"`cifar100` (binary version), `images` (PNG, JPEG; a folder per class, in `train/` and `test/`), `npz` (arrays `x_train`, `y_train`, "+
			"`x_test`, `y_test`, or `train.npz` and `test.npz`)")
}

func folderOfImages() key.Key {
	return key.Given("folder", "path", key.PlainText(), nil).Must().Tells("", "where they are, relative to the configuration")
}

func imageKinds() (kinds []string) {
	for _, k := range images.Kinds() {
		kinds = append(kinds, string(k))
	}
	return kinds
}

func augmentKeys(a *bnn.Augmentation) []key.Key {
	return []key.Key{
		key.Whole("crop", &a.Crop, 0, 1_000_000).Tells("0", "zero pixels around an image before a window of its size is cut out"),
		key.Boolean("flip", &a.Flip).Tells("false", "left to right, every second time"),
		key.Number("erase", &a.Erase, key.NotNegative, key.AtMost(1).Says("is a probability, at most 1")).Tells("0",
			"probability of erasing a rectangle"),
	}
}

// readImages reads where the images are, and them.
func (l *loader) readImages(n *yamlpos.Node, t *Training) {
	r, a := &t.Resolved.Data, &t.Settings.Augment
	if n == nil {
		l.ReportBare(l.root, "data are missing: add, for instance, data: {kind: idx, folder: /usr/share/datasets/fashion-mnist}")
		return
	}
	if !l.Only(n, imageKeys(a)) {
		return
	}
	if k := n.Field("augment"); k != nil && k.Kind == yamlpos.Scalar {
		l.Word(k, "none")
	} else {
		l.Read(k, augmentKeys(a))
	}
	r.Augment = *a
	s, ok := l.imagesOf(n, n.Field("folder"))
	if !ok {
		return
	}
	r.Kind, r.Folder = s.kind, s.folder
	if s.test == nil {
		l.Report(n.Field("folder"), "there are no test images in %s: predictions are judged on images that were not trained on", s.folder)
		return
	}
	t.Data.Train = l.fewer(n.Field("train"), s.train, t.Settings.Seed)
	t.Data.Test = l.fewer(n.Field("test"), s.test, t.Settings.Seed)
	r.Train, r.Test = t.Data.Train.Len(), t.Data.Test.Len()
	l.readOutside(n.Field("outside"), t)
	t.Data.Mean, t.Data.SD = t.Data.Train.Moments()
	var err error
	if r.SHA256, err = images.Fingerprint(t.Data.Train, t.Data.Test, t.Data.Outside); err != nil {
		l.Report(n, "%v", err)
	}
	if h := n.Field("sha256"); h != nil && h.Text != r.SHA256 {
		l.Report(h, "the images in %s are not those that this run began with", s.folder)
	}
}

// sets are a training and a test set, and where they are from.
type sets struct {
	kind, folder string
	train, test  *images.Set
}

// imagesOf reads the images of a section with kind and folder.
func (l *loader) imagesOf(n, folder *yamlpos.Node) (s sets, ok bool) {
	if n.Field("kind") == nil {
		l.Report(n, "%s needs a kind: one of %v", n.Name, imageKinds())
	}
	kind, known := l.Word(n.Field("kind"), imageKinds()...)
	path, given := l.Text(folder)
	if folder == nil {
		l.Report(n, "%s needs a folder: where the images are", n.Name)
	}
	if !known || !given {
		return s, false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(l.file), path)
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	s = sets{kind: kind, folder: path}
	var err error
	if s.train, s.test, err = images.Load(images.Kind(kind), path); err != nil {
		l.Report(folder, "%v", err)
		return s, false
	}
	return s, true
}

// fewer takes some of a set, if n says so.
func (l *loader) fewer(n *yamlpos.Node, s *images.Set, seed uint64) *images.Set {
	v, ok := l.Int(n, 1, key.Many)
	switch {
	case !ok || v == s.Len():
		return s
	case v > s.Len():
		l.Report(n, "%s: there are %d examples; found %d", n.Name, s.Len(), v)
		return s
	}
	some, err := s.Subset(v, seed)
	if err != nil {
		l.Report(n, "%v", err)
		return s
	}
	return some
}

// readOutside reads images that belong to none of the classes.
func (l *loader) readOutside(n *yamlpos.Node, t *Training) {
	if !l.Only(n, outsideKeys()) {
		return
	}
	s, ok := l.imagesOf(n, n.Field("folder"))
	if !ok {
		return
	}
	from := s.test
	if from == nil {
		from = s.train
	}
	from = l.fewer(n.Field("test"), from, t.Settings.Seed)
	in := t.Data.Train
	fitted, err := from.Fit(in.Channels, in.Height, in.Width)
	if err != nil {
		l.Report(n, "%v", err)
		return
	}
	t.Data.Outside = fitted
	t.Resolved.Data.Outside = &OutsideSet{s.kind, s.folder, fitted.Len()}
}
