import { boxPolyhedron, type ContactModelName, meshOfPolyhedron, type PlacedShape, type Shape } from '../../contact/index.ts'
import { createRandom, quaternionOfRotationVector, type Random, rotationOfQuaternion } from '../../dynamics/index.ts'
import { createFreeBody } from '../../robots/index.ts'
import { SimulationError, World } from '../../simulation/index.ts'

/** A thin body shot at a thin plate. */
export interface Shot {
  readonly shape: Shape
  readonly density: number
  readonly thickness: number
  /** Of a free plate [kg]; undefined: it is fixed. */
  readonly plateMass: number | undefined
  readonly plateTurn: Float64Array
  readonly position: readonly [number, number, number]
  readonly turn: Float64Array
  readonly velocity: Float64Array
  readonly spin: Float64Array
  readonly speed: number
  readonly dt: number
  readonly steps: number
}

/** Half the side of the plate [m]. */
const HALF = 3

function unit(random: Random): Float64Array {
  for (;;) {
    const x = Float64Array.from([0, 1, 2], () => random.between(-1, 1))
    const length = Math.hypot(...x)
    if (length > 0.1 && length < 1) return x.map((c) => c / length)
  }
}

function turned(random: Random): Float64Array {
  const q = new Float64Array(4)
  const axis = unit(random)
  const angle = random.between(0, Math.PI)
  quaternionOfRotationVector(
    q,
    0,
    axis.map((c) => c * angle),
    0,
  )
  return q
}

const rotate = (q: Float64Array, x: ArrayLike<number>): Float64Array => {
  const R = new Float64Array(9)
  rotationOfQuaternion(R, q, 0)
  return Float64Array.from([0, 1, 2], (k) => R[3 * k] * x[0] + R[3 * k + 1] * x[1] + R[3 * k + 2] * x[2])
}

function thinShape(random: Random): Shape {
  const thin = random.between(0.004, 0.02)
  const long = random.between(0.05, 0.15)
  switch (Math.floor(5 * random.next())) {
    case 0:
      return { type: 'box', size: [long, random.between(0.05, 0.15), thin] }
    case 1:
      return { type: 'capsule', radius: 0.5 * thin, length: long }
    case 2:
      return { type: 'cylinder', radius: 0.5 * thin, length: long }
    case 3:
      return { type: 'sphere', radius: 0.5 * thin }
    default:
      return { type: 'box', size: [random.between(0.01, 0.05), random.between(0.01, 0.05), random.between(0.01, 0.05)] }
  }
}

/** The shot of a seed: at 1 to 100 m/s, within 60 degrees of the plate's normal, with steps of 1 to 10 ms. */
export function randomShot(seed: number): Shot {
  const random = createRandom(seed)
  const speed = Math.exp(Math.log(100) * random.next())
  const dt = Math.exp(Math.log(1e-3) + Math.log(10) * random.next())
  const shape = thinShape(random)
  const thickness = random.between(0.004, 0.02)
  const plateTurn = turned(random)
  const tilt = random.between(0, Math.PI / 3)
  const around = random.between(0, 2 * Math.PI)
  const direction = [Math.sin(tilt) * Math.cos(around), Math.sin(tilt) * Math.sin(around), -Math.cos(tilt)]
  const aim = [random.between(-0.3, 0.3), random.between(-0.3, 0.3), 0]
  // from anywhere between two steps' way and none above the plate
  const clear = (0.11 + thickness) / Math.cos(tilt)
  const way = clear + 2 * speed * dt * random.next()
  const position = rotate(
    plateTurn,
    aim.map((c, k) => c - way * direction[k]),
  )
  return {
    shape,
    density: random.between(1000, 8000),
    thickness,
    plateMass: random.next() < 0.5 ? undefined : random.between(1, 100),
    plateTurn,
    position: [position[0], position[1], position[2]],
    turn: turned(random),
    velocity: rotate(
      plateTurn,
      direction.map((c) => c * speed),
    ),
    spin: unit(random).map((c) => c * random.between(0, 20)),
    speed,
    dt,
    steps: Math.ceil(way / (speed * dt)) + 8,
  }
}

export interface ShotOutcome {
  /** How often the middle of the body crossed the middle plane of the plate, inside of the plate. */
  readonly crossings: number
  readonly tunnelled: number
  readonly first: string
  /** What ended the run before its time, or ''. */
  readonly failure: string
}

/** Which parts of a step are sampled, to tell where the middle of the body crosses the plate. */
const SAMPLES = 100

/** @param asMesh whether a fixed plate is a mesh in place of a box */
export function shoot(shot: Shot, contactModel: ContactModelName, ccd: boolean, asMesh = false): ShotOutcome {
  const { shape, density, thickness, plateMass, plateTurn, position, turn, velocity, spin, dt, steps } = shot
  const plateShape = { type: 'box', size: [2 * HALF, 2 * HALF, thickness] } as const
  const q4 = (q: Float64Array) => [q[0], q[1], q[2], q[3]] as const
  const bullet = createFreeBody({ name: 'bullet', shape, density, position, quaternion: q4(turn) })
  const R = new Float64Array(9)
  rotationOfQuaternion(R, plateTurn, 0)
  const mesh = meshOfPolyhedron(boxPolyhedron(plateShape.size))
  const fixture: PlacedShape = {
    name: 'plate',
    body: 0,
    shape: asMesh ? { type: 'mesh', mesh } : plateShape,
    R,
    p: new Float64Array(3),
  }
  const back = Float64Array.of(-turn[0], -turn[1], -turn[2], turn[3])
  const start = { robot: bullet, v: Float64Array.of(...rotate(back, spin), ...rotate(back, velocity)) }
  const world = new World({
    robots:
      plateMass === undefined
        ? [start]
        : [start, { robot: createFreeBody({ name: 'plate', shape: plateShape, mass: plateMass, quaternion: q4(plateTurn) }) }],
    fixtures: plateMass === undefined ? [fixture] : [],
    contactModel,
    ccd,
    dt,
  })
  const fixedPlate = Float64Array.of(0, 0, 0, ...plateTurn)
  let crossings = 0
  const outcome = () => ({ crossings, tunnelled: world.events.tunnelled, first: world.events.firstTunnelling, failure: '' })
  for (let i = 0; i < steps; i++) {
    const before = world.state.q.slice()
    try {
      world.step()
    } catch (error) {
      if (error instanceof SimulationError) return { ...outcome(), failure: error.message }
      throw error
    }
    const { q } = world.state
    if (isCrossing(before, q, fixedPlate)) crossings++
  }
  return outcome()
}

/** Whether the middle of the body changes sides of the plate between two configurations, where the plate is. */
function isCrossing(q0: Float64Array, q1: Float64Array, fixedPlate: Float64Array): boolean {
  const plate0 = q0.length > 7 ? q0.subarray(7, 14) : fixedPlate
  const plate1 = q1.length > 7 ? q1.subarray(7, 14) : fixedPlate
  const local = (s: number): Float64Array => {
    const x = [0, 1, 2].map((k) => (1 - s) * (q0[k] - plate0[k]) + s * (q1[k] - plate1[k]))
    // turned at constant speed, near enough: the normalised mean of two quaternions
    const dot = [3, 4, 5, 6].reduce((sum, k) => sum + plate0[k] * plate1[k], 0)
    const mean = [3, 4, 5, 6].map((k) => (1 - s) * plate0[k] + s * (dot < 0 ? -1 : 1) * plate1[k])
    const length = Math.hypot(...mean)
    return rotate(Float64Array.of(-mean[0] / length, -mean[1] / length, -mean[2] / length, mean[3] / length), x)
  }
  const from = local(0)
  const to = local(1)
  if (from[2] > 0 === to[2] > 0) return false
  for (let k = 1; k <= SAMPLES; k++) {
    const x = local(k / SAMPLES)
    if (x[2] > 0 !== from[2] > 0) return Math.abs(x[0]) < HALF && Math.abs(x[1]) < HALF
  }
  return true
}
