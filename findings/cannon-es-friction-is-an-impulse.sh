#!/usr/bin/env bash
# Guess: a box of 1 kg that slides at 2 m/s on a plane, friction 0.2 or 0.8, goes v^2 / (2 mu g) = 1.02 m and 0.25 m, to the step's error, whatever the step.
# Seen: cannon-es stops it within 4 cm at either friction alike. At friction 0.001, which should let it go on for 204 m, it stops after 0.87 m at 60 Hz and 0.22 m at 240 Hz:
# mu m g of each of its four contacts, the bound of a force, is taken as that of the impulse of a step. So friction is 4 / step times as strong, 240 times at 60 Hz.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > npm.log
npm install --silent --no-audit --no-fund cannon-es@0.20.0 >> npm.log
cat > slide.mjs <<'JS'
import * as C from 'cannon-es'

/** Way of the box in 3 s [m]. */
function way(friction, step) {
  const world = new C.World({ gravity: new C.Vec3(0, 0, -9.81) })
  Object.assign(world.defaultContactMaterial, { friction, restitution: 0 })
  world.addBody(new C.Body({ type: C.Body.STATIC, shape: new C.Plane() }))
  const shape = new C.Box(new C.Vec3(0.1, 0.1, 0.025))
  const [position, velocity] = [new C.Vec3(0, 0, 0.0251), new C.Vec3(2, 0, 0)]
  const box = new C.Body({ mass: 1, shape, position, velocity, linearDamping: 0, angularDamping: 0 })
  world.addBody(box)
  for (let t = 0; t < 3 - step / 2; t += step) world.step(step)
  return box.position.x.toFixed(3)
}

for (const friction of [0, 0.001, 0.2, 0.8])
  console.log(`friction ${friction}: ${[1 / 60, 1 / 240].map((step) => way(friction, step)).join(' ')}`)
JS
seen="$(node slide.mjs)"
echo "cannon-es 0.20.0, way of a box at 2 m/s [m], at steps of 1/60 and 1/240 s:"
echo "$seen"
[ "$seen" = $'friction 0: 6.000 6.000\nfriction 0.001: 0.866 0.217\nfriction 0.2: 0.036 0.009\nfriction 0.8: 0.036 0.009' ] || { echo changed; exit 1; }
