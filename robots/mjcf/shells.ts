import type { Triple } from '../description.ts'

/** Mass and principal moments about the centre of a shell of 1 kg/m^2 [kg, kg m^2]. */
export interface Shell {
  readonly mass: number
  readonly moments: Triple
}

/** MuJoCo's exponent in Thomsen's formula for the area of an ellipsoid. */
const THOMSEN = 1.6075
/** MuJoCo's thickness of the shell of an ellipsoid [m]. */
const THICKNESS = 1e-6

const ofSphere = (r: number): Shell => {
  const mass = 4 * Math.PI * r * r
  const moment = (2 / 3) * mass * r * r
  return { mass, moments: [moment, moment, moment] }
}

/** Of the half lengths: two faces across each axis. */
function ofBox(a: number, b: number, c: number): Shell {
  const about = (x: number, y: number, z: number) =>
    8 * (y * z * ((y * y + z * z) / 3) + x * z * (y * y + (z * z) / 3) + x * y * (z * z + (y * y) / 3))
  return { mass: 8 * (a * b + b * c + c * a), moments: [about(a, b, c), about(b, c, a), about(c, a, b)] }
}

/** A tube of radius r and half length h, and an end at each side whose mass, moment about the axis and moment across it are given. */
function ofTube(r: number, h: number, end: number, along: number, across: number): Shell {
  const side = 4 * Math.PI * r * h
  const x = side * ((r * r) / 2 + (h * h) / 3) + 2 * across
  return { mass: side + 2 * end, moments: [x, x, side * r * r + 2 * along] }
}

/** x to the y >= 0 by square roots, which have one result on every machine. */
function power(x: number, y: number): number {
  let [result, root, rest] = [1, x, y]
  for (; rest >= 1; rest--) result *= x
  for (let bit = 0; bit < 52; bit++) {
    root = Math.sqrt(root)
    rest *= 2
    if (rest >= 1) {
      result *= root
      rest--
    }
  }
  return result
}

function ofEllipsoid(a: number, b: number, c: number): Shell {
  const sum = power(a * b, THOMSEN) + power(a * c, THOMSEN) + power(b * c, THOMSEN)
  const mass = 4 * Math.PI * power(sum / 3, 1 / THOMSEN)
  const solid = (x: number, y: number, z: number) => {
    const volume = (4 / 3) * Math.PI * x * y * z
    return [volume, (volume / 5) * (y * y + z * z), (volume / 5) * (x * x + z * z), (volume / 5) * (x * x + y * y)]
  }
  const inner = solid(a, b, c)
  const [volume, ...moments] = solid(a + THICKNESS, b + THICKNESS, c + THICKNESS).map((outer, k) => outer - inner[k])
  const [x, y, z] = moments.map((moment) => (mass / volume) * moment)
  return { mass, moments: [x, y, z] }
}

/** The surface of a geom of MuJoCo's sizes; undefined for shapes that have none of their own. */
export function shellOf(type: string, [a, b, c]: readonly number[]): Shell | undefined {
  if (type === 'sphere') return ofSphere(a)
  if (type === 'box') return ofBox(a, b, c)
  if (type === 'ellipsoid') return ofEllipsoid(a, b, c)
  const disc = Math.PI * a * a
  if (type === 'cylinder') return ofTube(a, b, disc, (disc * a * a) / 2, disc * ((a * a) / 4 + b * b))
  // a hemisphere about its centre of mass, which is half a radius from its plane
  const across = 2 * disc * ((2 / 3 - 1 / 4) * a * a + (b + a / 2) * (b + a / 2))
  if (type === 'capsule') return ofTube(a, b, 2 * disc, (4 / 3) * disc * a * a, across)
  return undefined
}
