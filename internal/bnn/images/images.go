// Package images answers what pictures there are: labelled sets of them in the file
// formats in which they are published.
package images

import (
	"fmt"
	"slices"
)

// A Set is examples in order, of one shape. Either Pixels or Values holds them.
type Set struct {
	Name                    string // for messages: "fashion-mnist, training"
	Channels, Height, Width int
	Pixels                  []byte    // N × Channels × Height × Width
	Values                  []float32 // likewise: numbers that are taken as they are
	Labels                  []int32   // N, in [0, Classes); nil of sets without labels
	Targets                 []float32 // N × Outputs, of regressions; nil of classes
	Classes                 int
	Names                   []string // of the classes; nil if they have none
	// Index is the place of every example, from 0, among those that were read; nil if these
	// are all of them in their order.
	Index []int
}

// Len is the number N of examples.
func (s *Set) Len() int {
	each := s.Channels * s.Height * s.Width
	switch {
	case each == 0:
		return 0
	case s.Values != nil:
		return len(s.Values) / each
	}
	return len(s.Pixels) / each
}

// A Kind is a way of publishing pictures.
type Kind string

// The kinds.
const (
	// IDX is the MNIST family: train-images-idx3-ubyte, train-labels-idx1-ubyte and
	// the same with t10k, each as it is or with .gz.
	IDX Kind = "idx"
	// CIFAR10 is data_batch_1.bin … data_batch_5.bin, test_batch.bin and
	// batches.meta.txt, in the folder or in cifar-10-batches-bin.
	CIFAR10 Kind = "cifar10"
	// CIFAR100 is train.bin, test.bin and fine_label_names.txt, in the folder or in
	// cifar-100-binary. Labels are the fine ones.
	CIFAR100 Kind = "cifar100"
	// Images is PNG and JPEG files, a subfolder for each class, in train/ and test/;
	// without these the subfolders are a training set alone.
	Images Kind = "images"
	// NPZ is arrays of NumPy: one .npz file with x_train, y_train, x_test, y_test, or
	// train.npz and test.npz with x, y. See the documentation of Load.
	NPZ Kind = "npz"
)

// Kinds lists all kinds.
func Kinds() []Kind { return []Kind{IDX, CIFAR10, CIFAR100, Images, NPZ} }

// Load reads the training and the test set of a folder. Test is nil where there is
// none, which is possible with Images and NPZ only.
//
// In NPZ files images are called x or images, labels y or labels, and the two sets
// are told by train_ and test_ before or _train and _test behind; folder may name the
// file itself. Pixels are uint8 of N×H×W, N×H×W×C or N×C×H×W, C being the one of the
// two that is 1 or 3 (the name of the set says which); float32 and float64 of these
// shapes, or features N×d, are taken as they are. Integers are labels, of N or N×1;
// float32 and float64 of N or N×k are the targets of a regression. SVHN comes as
// MATLAB files; with SciPy
//
//	python3 -c "import numpy, scipy.io
//	for s in 'train', 'test':
//	    m = scipy.io.loadmat(s + '_32x32.mat')
//	    numpy.savez(s + '.npz', x=m['X'].transpose(3, 0, 1, 2), y=m['y'].ravel() % 10)"
//
// makes them files of NumPy.
//
// Sizes, magic numbers, checksums and labels are checked, and no memory is asked for
// that the files could not fill. Errors name the file, what was found and what to do.
func Load(kind Kind, folder string) (train, test *Set, err error) {
	if kind != NPZ {
		err = isFolder(folder, kind)
	}
	if err != nil {
		return nil, nil, err
	}
	switch kind {
	case IDX:
		train, test, err = loadIDX(folder)
	case CIFAR10:
		train, test, err = loadCIFAR(folder, cifar10)
	case CIFAR100:
		train, test, err = loadCIFAR(folder, cifar100)
	case Images:
		train, test, err = loadPictures(folder)
	case NPZ:
		train, test, err = loadNPZ(folder)
	default:
		err = fmt.Errorf("there are no data of kind %q: it is one of %v", kind, Kinds())
	}
	if err == nil {
		err = agree(train, test)
	}
	if err != nil {
		return nil, nil, err
	}
	return train, test, nil
}

// agree settles the number of classes and says whether two sets can be the two halves
// of one data set.
func agree(train, test *Set) error {
	if train.Labels != nil {
		if train.Classes == 0 {
			train.Classes = 1 + int(slices.Max(train.Labels))
		}
	}
	if test == nil {
		return nil
	}
	if a, b := train.shape(), test.shape(); a != b {
		return fmt.Errorf("%s: pictures are of %v, those of %s of %v: both sets must be of one shape", test.Name, b, train.Name, a)
	}
	if (train.Labels == nil) != (test.Labels == nil) || len(train.Targets)*test.Len() != len(test.Targets)*train.Len() {
		return fmt.Errorf("%s and %s: one has labels and the other has not, or their targets differ in width", train.Name, test.Name)
	}
	test.Classes, test.Names = train.Classes, train.Names
	if err := train.occupied(); err != nil {
		return err
	}
	return test.inRange()
}

// occupied says whether there are two classes at least, with examples of each.
func (s *Set) occupied() error {
	if s.Labels == nil {
		return nil
	}
	if s.Classes < 2 {
		return fmt.Errorf("%s: all %d labels are the same: examples of two classes at least are needed", s.Name, s.Len())
	}
	counts := make([]int, s.Classes)
	for _, l := range s.Labels {
		counts[l]++
	}
	if c := slices.Index(counts, 0); c >= 0 {
		return fmt.Errorf("%s: class %d has no example, and the largest label is %d: number the labels from 0 without gaps", s.Name,
			c, slices.Max(s.Labels))
	}
	return nil
}

// shape is channels × height × width.
func (s *Set) shape() [3]int { return [3]int{s.Channels, s.Height, s.Width} }

// inRange says whether every label is one of the classes.
func (s *Set) inRange() error {
	for i, l := range s.Labels {
		if l < 0 || int(l) >= s.Classes {
			return fmt.Errorf("%s: label %d of example %d: those of %d classes are 0 … %d", s.Name, l, i+1, s.Classes, s.Classes-1)
		}
	}
	return nil
}
