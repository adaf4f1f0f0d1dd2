../../../bin/torch-build/serve.o: ../../../bin/torch-build/serve.cpp \
 augment.cpp augment.h philox.h check.cpp check.h device.h protocol.h \
 update.h noise.h data.cpp data.h device.cpp version.h main.cpp session.h \
 pool.h replica.h network.h noise.cpp simd.h pool.cpp protocol.cpp \
 replica.cpp norm.h session.cpp update.cpp
augment.cpp:
augment.h:
philox.h:
check.cpp:
check.h:
device.h:
protocol.h:
update.h:
noise.h:
data.cpp:
data.h:
device.cpp:
version.h:
main.cpp:
session.h:
pool.h:
replica.h:
network.h:
noise.cpp:
simd.h:
pool.cpp:
protocol.cpp:
replica.cpp:
norm.h:
session.cpp:
update.cpp:
