#!/usr/bin/env bash
# Guess: @foxglove/rosmsg's stringify of a definition of @foxglove/rosmsg-msgs-common's ros2jazzy is a schema that readers of ROS 2 take.
# Seen, rosmsg 5.0.5 and rosmsg-msgs-common 3.2.3: the header's stamp is written `time stamp`, a type of ROS 1 that ROS 2 does not have. mcap-ros2-support 0.6.0 takes the schema
# without a word, and fails at the first message (NotImplementedError); rosbags 0.11.9 knows the word and reads it. With builtin_interfaces/Time in its place both read.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check rosbags==0.11.9 mcap-ros2-support==0.6.0
npm init -y > npm.log
npm install --silent --no-audit --no-fund @foxglove/rosmsg@5.0.5 @foxglove/rosmsg-msgs-common@3.2.3 >> npm.log
node -e "
const { stringify } = require('@foxglove/rosmsg')
const { ros2jazzy } = require('@foxglove/rosmsg-msgs-common')
process.stdout.write(stringify(['sensor_msgs/JointState', 'std_msgs/Header', 'builtin_interfaces/Time'].map((name) => ros2jazzy[name])))" > JointState.msg
grep -n stamp JointState.msg
cat > read.py <<'PY'
import struct
from mcap_ros2._dynamic import generate_dynamic
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
text = open("JointState.msg").read()
# little-endian CDR: stamp 5 s 6 ns, an empty frame, and four empty lists
cdr = b"\x00\x01\x00\x00" + struct.pack("<iI", 5, 6) + struct.pack("<I", 1) + b"\0\0\0\0" + struct.pack("<4I", 0, 0, 0, 0)
def by_rosbags(text):
    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg(text, "sensor_msgs/msg/JointState"))
    return store.deserialize_cdr(cdr, "sensor_msgs/msg/JointState").header.stamp.sec
def by_mcap(text):
    return generate_dynamic("sensor_msgs/msg/JointState", text)["sensor_msgs/msg/JointState"](cdr).header.stamp.sec
def told(read, text):
    try:
        return read(text)
    except Exception as error:
        return type(error).__name__
mended = text.replace("time stamp", "builtin_interfaces/Time stamp")
seen = [tuple(told(read, one) for read in (by_rosbags, by_mcap)) for one in (text, mended)]
print("(rosbags, mcap-ros2-support) as written and mended:", seen)
assert seen == [(5, "NotImplementedError"), (5, 5)], seen
PY
venv/bin/python read.py
