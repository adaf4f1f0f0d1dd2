../../../bin/torch-build/nets.o: ../../../bin/torch-build/nets.cpp \
 layers.cpp layers.h network.h norm.h lenet.cpp memory.cpp version.h \
 mlp.cpp network.cpp norm.cpp loops.h resnet.cpp
layers.cpp:
layers.h:
network.h:
norm.h:
lenet.cpp:
memory.cpp:
version.h:
mlp.cpp:
network.cpp:
norm.cpp:
loops.h:
resnet.cpp:
